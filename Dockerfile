# Assay's images. `base` orchestrates, checks and lands, and asks vLLM servers; `cpu` and `gpu` hold vLLM too.
#   docker build --target base -t assay:base .        (docker compose builds what it needs by itself)
# The pins and hashes of requirements/ are what is installed, as `make setup` does it.

FROM python:3.11.14-slim-bookworm AS python
# The numbers are used by docker-compose.yml; a folder that becomes a volume is made here, with its owner.
RUN groupadd --gid 10001 assay \
    && useradd --uid 10001 --gid assay --create-home assay \
    && install --directory --owner=assay --group=assay /var/lib/assay /var/lib/prefect /models
ENV DO_NOT_TRACK=1 \
    GX_ANALYTICS_ENABLED=false \
    HF_HUB_OFFLINE=1 \
    PATH=/assay/.venv/bin:$PATH \
    PREFECT_SERVER_ANALYTICS_ENABLED=false \
    PYTHONUNBUFFERED=1 \
    VLLM_NO_USAGE_STATS=1
WORKDIR /assay

# What installing needs and no more, so that a change of the code installs nothing anew.
FROM python AS build
COPY pyproject.toml README.md ./
COPY scripts/bootstrap.py scripts/
COPY requirements requirements

FROM build AS build-base
RUN python scripts/bootstrap.py base
FROM build AS build-cpu
RUN python scripts/bootstrap.py engine
FROM build AS build-gpu
RUN python scripts/bootstrap.py gpu

FROM python AS code
COPY pyproject.toml README.md prefect.yaml ./
COPY schemas schemas
COPY extractors extractors
COPY validators validators
COPY warehouse warehouse
COPY flows flows

# Triton and torch compile kernels when the engine starts; the CPU build binds its threads with libnuma.
# Their versions come with the base image's Debian, whose archive keeps only the newest of each.
FROM code AS compiler
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends g++ gcc libc6-dev libnuma1 \
    && rm -rf /var/lib/apt/lists/*

FROM code AS base
COPY --from=build-base /assay/.venv .venv
USER 10001:10001
CMD ["assay", "--help"]

FROM compiler AS cpu
COPY --from=build-cpu /assay/.venv .venv
USER 10001:10001
CMD ["assay", "--help"]

FROM compiler AS gpu
COPY --from=build-gpu /assay/.venv .venv
ENV NVIDIA_DRIVER_CAPABILITIES=compute,utility \
    NVIDIA_VISIBLE_DEVICES=all
USER 10001:10001
CMD ["assay", "--help"]
