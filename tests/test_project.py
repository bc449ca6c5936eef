"""The project's own promises: what is pinned, where imports come from, what may stand in a committed file."""

from __future__ import annotations

import ast
import importlib.util
import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FOLDERS = ("schemas", "extractors", "validators", "warehouse", "flows")
LOCKS = ("base.txt", "cpu.txt", "engine.txt", "gpu.txt", "uv.txt")
# A package index or its files; and absolute paths into somebody's machine.
REGISTRY = re.compile(r"https?://[^\s\"'>]*(?:pypi|pythonhosted|download\.pytorch|/simple\b)", re.IGNORECASE)
MACHINE_PATH = re.compile(r"(?<![\w./~}-])/(?:work|opt|home|root|Users|mnt)/\w")
BINARY = {".pdf", ".docx", ".xlsx", ".bin", ".png", ".parquet", ".gz", ".zip", ".eml"}
# `flows` reads settings. The others read none: vLLM and transformers take their start-up switches from the
# process's environment and nowhere else, and the readers' child gets a cut-down copy of it.
ENVIRONMENT_READERS = (
    "flows/",
    "extractors/engines/process.py",
    "extractors/model.py",
    "extractors/readers/process.py",
)


def pinned(text: str) -> dict[str, str]:
    """Package -> version of a requirements file, names normalised (PEP 503)."""
    pairs = re.findall(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", text, flags=re.MULTILINE)
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in pairs}


def tracked(root: Path) -> Iterator[Path]:
    """The files that git tracks, where it is a repository; links and deleted files left out."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True)  # noqa: S607
    for name in filter(None, listed.stdout.split("\0")):
        path = root / name
        if path.is_file() and not path.is_symlink():
            yield path


@pytest.mark.parametrize("name", LOCKS)
def test_no_package_takes_the_name_of_a_folder(root: Path, name: str) -> None:
    packages = pinned((root / "requirements" / name).read_text())
    assert packages, f"{name} pins nothing"
    assert not packages.keys() & set(FOLDERS)


@pytest.mark.parametrize("name", LOCKS)
def test_every_pin_has_a_hash(root: Path, name: str) -> None:
    text = (root / "requirements" / name).read_text()
    blocks = re.split(r"\n(?=[A-Za-z0-9])", text.strip())
    assert [block.splitlines()[0] for block in blocks if "--hash=sha256:" not in block] == []


def test_torch_has_its_hash_only_for_the_build_that_has_it(root: Path) -> None:
    text = (root / "requirements" / "torch.txt").read_text()
    lines = [line for line in text.replace("\\\n", "").splitlines() if line.startswith("torch==")]
    hashed = [line for line in lines if "--hash" in line]
    assert len(lines) == 2
    assert len(hashed) == 1
    assert "python_full_version < '3.12'" in hashed[0]
    assert "platform_machine == 'x86_64'" in hashed[0]


def test_the_pins_meet_what_the_project_asks_for(root: Path) -> None:
    from packaging.requirements import Requirement

    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    packages = pinned((root / "requirements" / "cpu.txt").read_text())
    packages |= pinned((root / "requirements" / "torch.txt").read_text())
    asked = [Requirement(line) for line in [*project["dependencies"], *extras["cpu"], *extras["dev"]]]
    wrong = [str(ask) for ask in asked if not ask.specifier.contains(packages.get(ask.name, "0"), True)]
    assert wrong == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_is_imported_from_here(root: Path, folder: str) -> None:
    spec = importlib.util.find_spec(folder)
    assert spec is not None
    assert spec.origin == str(root / folder / "__init__.py")


def test_no_registry_and_no_machine_path_in_a_committed_file(root: Path) -> None:
    wrong = []
    for path in tracked(root):
        if path.suffix in BINARY or path == Path(__file__):
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), start=1):
            if REGISTRY.search(line) or MACHINE_PATH.search(line):
                wrong.append(f"{path.relative_to(root)}:{number}: {line.strip()[:80]}")
    assert wrong == []


def test_only_flows_reads_the_environment(root: Path) -> None:
    readers = []
    for folder in FOLDERS:
        for path in (root / folder).rglob("*.py"):
            name = path.relative_to(root).as_posix()
            if not name.startswith(ENVIRONMENT_READERS) and reads_environment(path.read_text()):
                readers.append(name)
    assert readers == []


def reads_environment(source: str) -> bool:
    """Whether `os.environ` or `getenv` stands in the code (not in its comments)."""
    nodes = list(ast.walk(ast.parse(source)))
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    imported = {alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
    return bool((attributes | imported) & {"environ", "getenv", "environb", "getenvb"})


def test_reading_the_environment_is_seen() -> None:
    assert reads_environment("import os\nhome = os.environ['HOME']")
    assert reads_environment("from os import getenv")
    assert not reads_environment("# os.environ is for flows\nhome = None")


def commands_in(text: str) -> Iterator[list[str]]:
    """The words of each command line in a Markdown file's `sh` blocks; comments and prompts left out."""
    for block in re.findall(r"^```(?:sh|bash|console)\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line.removeprefix("$ "), comments=True)
            while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
                words.pop(0)
            if words:
                yield words


def documents_with_commands(root: Path) -> list[Path]:
    return [root / "README.md", *sorted((root / "docs").glob("*.md"))]


def test_every_make_target_in_the_documents_exists(root: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):.*##", (root / "Makefile").read_text(), flags=re.MULTILINE))
    named = set()
    for path in documents_with_commands(root):
        for program, *words in commands_in(path.read_text()):
            named |= {word for word in words if program == "make" and "=" not in word}
    assert {"setup", "demo", "test"} <= named <= targets


def test_every_assay_command_in_the_documents_exists(root: Path) -> None:
    wrong, seen = [], 0
    for path in documents_with_commands(root):
        for program, *words in commands_in(path.read_text()):
            if Path(program).name == "assay":
                seen += 1
                wrong += [f"{path.name}: assay {' '.join(words)}: {fault}" for fault in faults(words)]
    assert seen > 0
    assert wrong == []


def faults(words: list[str]) -> Iterator[str]:
    """What the command line does not know of these words: a command, or an option."""
    from typer.main import get_command

    from flows.cli import app

    command: Any = get_command(app)
    while words and hasattr(command, "commands"):
        if words[0] not in command.commands:
            yield f"no command {words[0]!r}"
            return
        command, words = command.commands[words[0]], words[1:]
    known = {option for parameter in command.params for option in parameter.opts} | {"--help"}
    yield from (f"no option {word!r}" for word in words if word.startswith("--") and word not in known)


def test_unknown_commands_and_options_are_seen() -> None:
    assert list(faults(["extrakt", "x"])) == ["no command 'extrakt'"]
    assert list(faults(["extract", "x", "--scheme", "invoice@1"])) == ["no option '--scheme'"]
    assert list(faults(["extract", "x", "--schema", "invoice@1"])) == []
