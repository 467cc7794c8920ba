"""The files for a server name what exists, and the tools that read them accept them, where they are installed."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]
from streamlit import config

from core.interfaces.cli.main import parser
from core.interfaces.http.access import OPEN_PATHS
from core.platform.fernet_cipher import FernetCipher
from core.platform.settings.settings import Settings

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
FILES = [path.name for path in sorted(DEPLOY.iterdir())]


def read(name: str) -> str:
    return (DEPLOY / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", FILES)
def test_every_setting_it_names_exists(name: str) -> None:
    options = {f"STREAMLIT_{_constant(key)}" for key in config.get_config_options()}
    assert set(re.findall(r"\bSTREAMLIT_[A-Z_]+", read(name))) <= options
    known = {field.upper() for field in Settings.model_fields} | {"GRAPHTALK_DATA"}
    assert set(re.findall(r"\b(?:GRAPHTALK|DATABASE|CHROMA|FILES|SETTINGS|LEASE)_[A-Z_]+", read(name))) <= known


def _constant(option: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", option).replace(".", "_").upper()


@pytest.mark.parametrize("name", FILES)
def test_every_command_it_names_is_one(name: str) -> None:
    for words in re.findall(r"-m core ([^`\n\[]+)", read(name)):
        assert parser().parse_args(words.split()).command


def test_every_command_is_tried_or_named_as_not_tried() -> None:
    page = read("README.md")
    untried = re.findall(r"`(\w+)", page.partition("Not tried: ")[2].partition("\n\n")[0])
    lines = [line for block in re.findall(r"```\n(.+?)```", page, re.DOTALL) for line in block.splitlines()]
    first = {line.split()[0] for line in lines if not re.match(r"[A-Z_]+=|\[|[a-z_]+ = ", line)}
    assert first - {*untried} == {".venv/bin/python", "nginx", "printf"}, "the last is tried below"
    assert {"useradd", "docker"} <= first


def test_passwords_and_the_key_of_the_settings_are_made_as_it_says(tmp_path: Path) -> None:
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed")
    page, file = read("README.md"), tmp_path / "passwords"
    (password,) = re.findall(r"^printf .+$", page, re.MULTILINE)
    password = password.replace("/etc/nginx/graphtalk.passwords", str(file)).replace("-apr1", "-apr1 secret")
    subprocess.run(["bash", "-c", password], check=True)
    assert re.fullmatch(r"ann:\$apr1\$.+\n", file.read_text("utf-8"))
    (key,) = re.findall(r"`(openssl rand .+?)`", page)
    made = subprocess.run(["bash", "-c", key], check=True, capture_output=True, text=True).stdout.strip()
    cipher = FernetCipher(made)
    assert cipher.decrypt(cipher.encrypt("kept")) == "kept"


def test_what_is_copied_into_the_container_exists() -> None:
    copied = re.findall(r"^COPY (.+) \S+$", read("Containerfile"), re.MULTILINE)
    assert copied
    assert [path for line in copied for path in line.split() if not (ROOT / path).exists()] == []


def test_the_containers_mount_the_files_that_the_proxy_names() -> None:
    inside = set(re.findall(r"- \./[^:]+:([^:]+):ro$", read("compose.yaml"), re.MULTILINE))
    assert set(re.findall(r"(/etc/[^;\s]+);", read("nginx.conf"))) <= inside


@pytest.mark.parametrize("name", ["compose.yaml", "compose.several.yaml"])
def test_a_composition_has_what_it_names_and_waits_for_open_questions(name: str) -> None:
    whole = yaml.safe_load(read(name))
    for service in whole["services"].values():
        assert {*service.get("depends_on", ())} <= {*whole["services"]}
        sources = {volume.partition(":")[0] for volume in service.get("volumes", ())}
        assert {source for source in sources if not source.startswith("./")} <= {*whole["volumes"]}
        if "build" in service:
            assert (DEPLOY / service["build"]["context"] / service["build"]["dockerfile"]).is_file()
            assert int(service["stop_grace_period"].removesuffix("s")) > Settings.model_fields["drain_seconds"].default
            if words := service.get("command"):
                assert parser().parse_args(words[words.index("core") + 1 :]).command
        elif "chroma" in service["image"]:
            assert f"chromadb=={service['image'].partition(':')[2]} " in (ROOT / "requirements.lock").read_text("utf-8")


def test_the_container_starts_the_app_and_asks_it_for_its_health() -> None:
    file = read("Containerfile")
    start, check = (json.loads(line) for line in re.findall(r"CMD (\[.+\])$", file, re.MULTILINE)[::-1])
    assert "serve" in parser().parse_args(start[start.index("core") + 1 :]).command
    compile(check[-1], "check", "exec")
    assert OPEN_PATHS & {*re.findall(r"8501(/[\w/]+)", check[-1])}


@pytest.mark.parametrize("name", ["nginx.conf", "nginx.several.conf"])
def test_nginx_accepts_the_file(tmp_path: Path, name: str) -> None:
    nginx, openssl = shutil.which("nginx", path="/usr/sbin:/usr/bin"), shutil.which("openssl")
    if not nginx or not openssl:
        pytest.skip("nginx is not installed")
    key, certificate = tmp_path / "key", tmp_path / "certificate"
    make = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=docs.example.org"]
    subprocess.run([openssl, *make, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    site = read(name).replace("/etc/ssl/docs.example.org.pem", str(certificate))
    site = site.replace("/etc/ssl/docs.example.org.key", str(key)).replace("listen 443", "listen 18443")
    whole = tmp_path / "nginx.conf"
    whole.write_text(f"pid {tmp_path}/pid; events {{}} http {{ access_log off; {site} }}", encoding="utf-8")
    done = subprocess.run(
        [nginx, "-t", "-c", whole, "-e", tmp_path / "log"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    systemd = shutil.which("systemd-analyze")
    if not systemd:
        pytest.skip("systemd is not installed")
    unit = tmp_path / "graphtalk.service"
    unit.write_text(read(unit.name).replace("/opt/graphtalk/.venv/bin/python", sys.executable), encoding="utf-8")
    done = subprocess.run([systemd, "verify", unit], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_unit_leaves_a_service_little_to_reach() -> None:
    systemd = shutil.which("systemd-analyze")
    if not systemd:
        pytest.skip("systemd is not installed")
    command = [systemd, "security", "--offline=true", "--threshold=30", str(DEPLOY / "graphtalk.service")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-300:]


def test_every_service_of_several_machines_is_checked_limited_and_waited_for() -> None:
    services = yaml.safe_load(read("compose.several.yaml"))["services"]
    healthy = re.search(r"^HEALTHCHECK", read("Containerfile"), re.MULTILINE)
    for name, service in services.items():
        assert service["mem_limit"], name
        assert service["restart"] == "unless-stopped", name
        for needed, how in service.get("depends_on", {}).items():
            assert how == {"condition": "service_healthy"}, (name, needed)
            assert "healthcheck" in services[needed] or (healthy and "build" in services[needed]), needed
    check = services["worker"]["healthcheck"]["test"]
    assert parser().parse_args(check[check.index("core") + 1 :]).check
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]
    for app in (services["app-1"], services["app-2"]):
        assert app["environment"]["FORWARDED_ALLOW_IPS"] == "*", "else links in answers to programs begin with http:"


def test_the_proxy_of_several_machines_finds_both_apps(tmp_path: Path) -> None:
    proxy = yaml.safe_load(read("compose.several.yaml"))["services"]["proxy"]
    (edits,) = re.findall(r"^(sed .+ )/nginx.several.conf > ", proxy["command"][-1])
    shown = subprocess.run(
        ["sh", "-c", f"{edits} {DEPLOY / 'nginx.several.conf'}"], check=True, capture_output=True, text=True
    ).stdout
    assert re.findall(r"server (\S+) max_fails", shown) == ["app-1:8501", "app-2:8501"]
    mounted = {volume.split(":")[1] for volume in proxy["volumes"]}
    assert set(re.findall(r"(/etc/[^;\s]+);", shown)) <= mounted


def test_the_shared_folder_belongs_to_the_user_of_the_container() -> None:
    """A named volume takes the owner of the folder that it covers."""
    whole, container = yaml.safe_load(read("compose.several.yaml")), read("Containerfile")
    (owned,) = re.findall(r"chown graphtalk: (.+?) &&", container)
    mounted = {
        volume.partition(":")[2]
        for service in whole["services"].values()
        if "build" in service
        for volume in service["volumes"]
    }
    assert mounted == {*owned.split()}
    assert whole["services"]["app-1"]["depends_on"]["postgres"] == {"condition": "service_healthy"}
