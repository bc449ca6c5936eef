from pathlib import Path

import pytest

from flows.settings import Settings, load, own_decodings
from schemas.errors import SettingError


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(f"ASSAY_{name.upper()}", raising=False)


def test_environment_wins_over_file(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("assay.toml").write_text('home = "from-file"\nshard_size = 7\n')
    monkeypatch.setenv("ASSAY_HOME", "from-environment")
    settings = load()
    assert (settings.home, settings.shard_size) == (Path("from-environment"), 7)


def test_default_home_holds_everything() -> None:
    settings = load()
    assert settings.home == Path(".assay")
    assert settings.models == Path(".assay/models")


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("ASSAY_PREFECT", "sometimes", "auto, always, never"),
        ("ASSAY_MAX_NUM_SEQS", "0", "at least 1"),
        ("ASSAY_MAX_NUM_SEQS", "many", "a whole number"),
        ("ASSAY_SHARD_SZE", "3", "ASSAY_SHARD_SIZE"),
        ("ASSAY_WORKERS", "two", "a whole number at least 1"),
        ("ASSAY_DEADLINE", "inf", "a number more than 0"),
        ("ASSAY_PREFECT_API_URL", "127.0.0.1:4200/api", "as in http://127.0.0.1:4200/api"),
        ("ASSAY_REPORT_URL", "https://host/x) ![](y", "ASSAY_REPORT_URL"),
        ("ASSAY_ENGINE_API_KEY", "one\nX-Header: two", "printable ASCII"),
        ("ASSAY_ROOTS", " , ", "no root is named"),
    ],
)
def test_wrong_setting_is_named_with_what_is_allowed(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, told: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingError) as caught:
        load()
    assert name in str(caught.value)
    assert told in str(caught.value)


@pytest.mark.parametrize("name", ["HOME", "MODEL", "SCHEMAS", "STAGING", "ROOTS", "ENGINE", "ENGINE_API_KEY"])
def test_what_is_set_to_nothing_is_neither_the_working_folder_nor_no_limit(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(f"ASSAY_{name}", " ")
    with pytest.raises(SettingError, match=f"ASSAY_{name} .*it is empty"):
        load()


def test_a_key_has_no_end_of_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_ENGINE_API_KEY", "sk-from-a-file\n")
    key = load().engine_api_key
    assert key is not None
    assert key.get_secret_value() == "sk-from-a-file"


def test_unknown_setting_in_file_is_named() -> None:
    Path("assay.toml").write_text("shard_sise = 3\n")
    with pytest.raises(SettingError, match=r"shard_sise in assay\.toml.*did you mean shard_size"):
        load()


def test_broken_file_is_named_with_its_line() -> None:
    Path("assay.toml").write_text("home = = 3\n")
    with pytest.raises(SettingError, match=r"assay\.toml: .*line 1"):
        load()


def test_secret_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_PREFECT_API_KEY", "pnu_very_secret")
    monkeypatch.setenv("ASSAY_SHARD_SIZE", "x")
    with pytest.raises(SettingError) as caught:
        load()
    assert "pnu_very_secret" not in str(caught.value)
    monkeypatch.delenv("ASSAY_SHARD_SIZE")
    assert "pnu_very_secret" not in repr(load())


def test_own_decoding_comes_from_file() -> None:
    Path("assay.toml").write_text("[decodings.warm]\ntemperature = 0.9\n")
    assert own_decodings(load())["warm"].temperature == 0.9


def test_own_decoding_has_one_name() -> None:
    Path("assay.toml").write_text('[decodings.warm]\nname = "warmer"\n')
    with pytest.raises(SettingError, match="that of its table"):
        own_decodings(load())


def test_wrong_own_decoding_names_its_setting() -> None:
    Path("assay.toml").write_text("[decodings.warm]\ntemperature = -1\n")
    with pytest.raises(SettingError, match=r"decoding warm.*temperature"):
        own_decodings(load())
