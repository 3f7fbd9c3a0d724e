"""The production-like stack, as far as text can be checked without containers (DESIGN §9, SPEC E1)."""

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from adcat.settings import Settings
from adcat.supervisor import WORKERS
from streams.fetch.egress import DENIED_V4, DENIED_V6, GLOBAL_V6, PORTS

ROOT = Path(__file__).resolve().parent.parent
COMPOSE = (ROOT / "docker-compose.yml").read_text()
NFT = (ROOT / "deploy/egress/adcat-egress.nft").read_text()
KEYS = "/var/lib/adcat/keys"


def composed() -> dict[str, Any]:
    yaml = pytest.importorskip(
        "yaml", reason="PyYAML is not a dependency; `docker compose config` checks the same where it is there"
    )
    return yaml.safe_load(COMPOSE)


def test_every_worker_is_a_service_and_every_service_a_worker() -> None:
    assert sorted(re.findall(r'command: \["worker", "(\w+)"\]', COMPOSE)) == sorted(WORKERS)
    assert sorted(re.findall(r"# adcat worker (\w+)$", COMPOSE, re.MULTILINE)) == sorted(WORKERS)


def test_every_variable_is_a_setting() -> None:
    known = {f"ADCAT_{field.name.upper()}" for field in fields(Settings)}
    assert set(re.findall(r"ADCAT_[A-Z_]+", COMPOSE)) <= known


def test_the_example_environment_names_what_must_be_set() -> None:
    wanted = set(re.findall(r"\$\{(\w+):\?", COMPOSE))
    assert set(re.findall(r"^(\w+)=$", (ROOT / "deploy/env.example").read_text(), re.MULTILINE)) == wanted


def test_every_named_file_exists() -> None:
    assert [one for one in re.findall(r"deploy/[\w./-]*\w", COMPOSE) if not (ROOT / one).exists()] == []
    copied = re.findall(r"^COPY (.+) \S+$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    assert [one for line in copied for one in line.split() if not (ROOT / one).exists()] == []


def test_the_image_does_not_run_as_root() -> None:
    users = re.findall(r"^USER (\w+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    assert users == ["adcat"]


def test_only_fetch_has_a_way_out_and_it_has_no_keys() -> None:
    services = composed()["services"]
    assert [name for name, one in services.items() if "egress" in one.get("networks", ())] == ["fetch"]
    assert composed()["networks"]["backend"]["internal"] is True
    held = {name: at for name, one in services.items() for at in one.get("volumes", ()) if KEYS in at}
    assert held == {"prepare": f"keys:{KEYS}"} | dict.fromkeys(("control", "relay", "serve"), f"keys:{KEYS}:ro")
    assert "ADCAT_DATABASE" not in services["fetch"]["environment"]


def test_a_stateful_worker_has_a_volume_of_its_own() -> None:
    services = composed()["services"]
    for name in ("frontier", "budget", "parse", "publish", "serve"):
        assert f"{name}:/var/lib/adcat" in services[name]["volumes"]


def test_the_firewall_refuses_what_the_program_refuses() -> None:
    refused = set(re.findall(r"^ {6}([0-9a-f.:/]+),?$", NFT, re.MULTILINE))
    v6 = {str(block) for block, _ in DENIED_V6 if block.subnet_of(GLOBAL_V6)}
    assert refused == {str(block) for block, _ in DENIED_V4} | v6
    assert f"ip6 daddr != {GLOBAL_V6} counter drop" in NFT
    allowed = re.search(r"tcp dport \{ ([\d, ]+) \} accept", NFT)
    assert allowed is not None
    assert {int(port) for port in allowed[1].split(", ")} == PORTS | {53}
    assert NFT.count('adcat-egress"') == 2
    assert "bridge.name: adcat-egress " in COMPOSE


def test_alerts_name_metrics_that_exist() -> None:
    source = (ROOT / "serving_grpc/metrics.py").read_text()
    named = set(re.findall(r"\badcat_\w+", (ROOT / "deploy/prometheus/rules.yml").read_text()))
    assert named
    assert {one for one in named if f'"{one.removesuffix("_total")}"' not in source} == set()
