"""Each way to a model against a real server on loopback that answers well, badly, slowly or not at all."""

from __future__ import annotations

import contextlib
import json
import math
import shutil
import socket
import ssl
import subprocess
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from scoring.errors import UsageError
from scoring.judges.claude import Claude
from scoring.judges.errors import CancelledError, ModelError
from scoring.judges.exchange import Cancel, exchange, retry_after
from scoring.judges.ollama import Ollama, same_model
from scoring.judges.openai_api import OpenAI
from scoring.judges.rubric import read_rubric, schema
from scoring.judges.servers import parse_server
from scoring.judges.transport import Ask
from tests.judges import loopback
from tests.judges.loopback import MODEL, Raw, nobody, rubric, serving, wrapped

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from scoring.judges.transport import Transport

pytest.importorskip("anthropic", reason="the extra juez is not installed")

KINDS = ("ollama", "openai", "claude")


def transport(kind: str, url: str) -> Transport:
    if kind == "ollama":
        return Ollama(parse_server(url, option="t"), MODEL)
    if kind == "openai":
        return OpenAI(parse_server(f"{url}/v1", option="t"), MODEL, key="clave-secreta")
    return Claude(parse_server(url, option="t"), "claude-x", "clave-secreta")


def question(seconds: float = 60.0, user: str = "pregunta") -> Ask:
    return Ask("instrucciones", user, schema(grounded=False), seconds, 1200)


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_a_good_answer_arrives_whole_with_its_token_counts(kind: str) -> None:
    with serving() as server:
        answer = transport(kind, server.url).ask(question(), Cancel())
    assert read_rubric(answer.text, grounded=False).to_dict()["correccion_diferenciales"] == 0.9
    assert (answer.tokens_in, answer.tokens_out) == (1000, 50)
    assert "instrucciones" in server.said()
    assert "pregunta" in server.said()


def test_the_answer_is_asked_for_in_the_form_of_the_schema(kind: str) -> None:
    with serving() as server:
        transport(kind, server.url).ask(question(), Cancel())
    sent = server.requests[0]["json"]
    wanted = schema(grounded=False)
    if kind == "ollama":
        assert sent["format"] == wanted
        assert sent["options"]["temperature"] == 0
        assert sent["stream"] is False
    elif kind == "openai":
        assert sent["response_format"]["json_schema"]["schema"] == wanted
        assert sent["temperature"] == 0
    else:
        assert sent["output_config"]["format"] == {"type": "json_schema", "schema": wanted}
        assert not {"tools", "tool_choice", "temperature", "thinking"} & sent.keys(), (
            "models refuse some of them"
        )
        assert sent["max_tokens"] == 1200


def test_a_score_keeps_all_its_digits_on_the_way(kind: str) -> None:
    exact = "0.89999999999999999999"  # as a float it would be 0.9, the threshold itself
    text = rubric().replace('"seguridad": 1,', f'"seguridad": {exact},')
    with serving(text) as server:
        answer = transport(kind, server.url).ask(question(), Cancel())
    assert str(read_rubric(answer.text, grounded=False).scores["seguridad"]) == exact


@pytest.mark.parametrize("token", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_nan_or_an_infinity_is_an_error_of_the_judge(kind: str, token: str) -> None:
    text = rubric().replace('"seguridad": 1,', f'"seguridad": {token},')
    with serving(text) as server, pytest.raises(ModelError) as caught:
        read_rubric(transport(kind, server.url).ask(question(), Cancel()).text, grounded=False)
    assert caught.value.code in {"not_json", "not_protocol", "out_of_scale"}


FAULTS: list[tuple[Any, str]] = [
    (loopback.stall(300), "too_slow"),
    (loopback.drip, "too_slow"),
    (loopback.drip_headers, "too_slow"),
    (loopback.cut, "cut"),
    (loopback.cut_chunk, "cut"),
    (loopback.hang_up, "cut"),
    (loopback.not_http, "not_http"),
    (loopback.endless, "too_large"),
    (loopback.long_header, "not_http"),
    (Raw(body=b"<html>hola</html>"), "not_protocol"),
    (Raw(body=b"[]"), "not_protocol"),
    (Raw(body=b"{}"), "not_protocol"),
    (Raw(body=b'{"message": 3, "choices": [], "content": "x"}'), "not_protocol"),
    (Raw(body=b'{"done": true, "choices": [{"message": {"content": null}}]}'), "not_protocol"),
    (Raw(body=b"\xff\xfe"), "not_protocol"),
    (Raw(body=b'{"a":' * 5000), "not_protocol"),
    (Raw(headers={"Content-Encoding": "gzip"}), "not_http"),
    (Raw(429, headers={"Retry-After": "7"}), "busy"),
    (Raw(503), "status"),
    (Raw(500, b"<html>"), "status"),
    (Raw(401), "status"),
    (Raw(402), "quota"),
    (Raw(429, b'{"error": {"code": "insufficient_quota"}}'), "quota"),
]


@pytest.mark.parametrize(("fault", "code"), FAULTS)
def test_a_server_that_misbehaves_gives_a_named_error_within_the_deadline(
    kind: str, fault: Any, code: str
) -> None:
    # The silent ones hold on for five times the limit that is set to them here, or longer; the others answer
    # at once, which on a busy machine may take more than a moment.
    seconds = 0.6 if code == "too_slow" else 60.0
    with serving(fault) as server:
        start = time.monotonic()
        with pytest.raises(ModelError) as caught:
            transport(kind, server.url).ask(question(seconds=seconds), Cancel())
        assert time.monotonic() - start < 15
    assert caught.value.code == code
    assert str(caught.value)


@pytest.mark.parametrize(
    ("status", "retry", "stop"),
    [
        (429, True, False),
        (503, True, False),
        (529, True, False),
        (401, False, True),
        (404, False, True),
        (400, False, False),
    ],
)
def test_what_may_be_asked_again_and_what_ends_the_run(
    kind: str, status: int, retry: bool, stop: bool
) -> None:
    with serving(Raw(status)) as server, pytest.raises(ModelError) as caught:
        transport(kind, server.url).ask(question(), Cancel())
    assert (caught.value.retry, caught.value.stop) == (retry, stop)


def test_a_redirect_is_not_followed_because_it_would_take_the_case_elsewhere(kind: str) -> None:
    with serving() as other:
        away = Raw(307, headers={"Location": f"{other.url}/api/chat"})
        with serving(away) as server, pytest.raises(ModelError) as caught:
            transport(kind, server.url).ask(question(), Cancel())
    assert caught.value.code == "redirect"
    assert caught.value.stop
    assert other.requests == []


def test_a_proxy_of_the_environment_is_not_used(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(rubric(completitud=0)) as proxy, serving() as server:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        transport(kind, server.url).ask(question(), Cancel())
        assert len(server.requests) == 1
        assert (proxy.requests, proxy.paths) == ([], [])


def test_nothing_of_what_a_server_writes_in_an_error_is_repeated(kind: str) -> None:
    page = {"error": {"message": "secreto del caso", "code": "secreto_del_caso", "type": "secreto"}}
    with serving(Raw(500, json.dumps(page).encode())) as server, pytest.raises(ModelError) as caught:
        transport(kind, server.url).ask(question(), Cancel())
    assert "secreto" not in str(caught.value)


def test_a_known_code_of_the_protocol_is_told(kind: str) -> None:
    page = {"error": {"message": "secreto del caso", "code": None, "type": "overloaded_error"}}
    with serving(Raw(529, json.dumps(page).encode())) as server, pytest.raises(ModelError) as caught:
        transport(kind, server.url).ask(question(), Cancel())
    assert "(overloaded_error)" in str(caught.value)


def test_a_key_is_sent_and_never_shown(kind: str) -> None:
    with serving() as server:
        way = transport(kind, server.url)
        way.ask(question(), Cancel())
    headers = server.requests[0]["headers"]
    shown = [name.lower() for name, value in headers.items() if "clave-secreta" in value]
    # Which header the SDK uses is its own affair and has changed between its versions.
    allowed: dict[str, list[list[str]]] = {
        "ollama": [[]],
        "openai": [["authorization"]],
        "claude": [["x-api-key"], ["authorization"]],
    }
    assert shown in allowed[kind]
    assert "secreta" not in repr(way)


def test_a_server_that_is_not_there_is_told_at_once(kind: str) -> None:
    with nobody() as url, pytest.raises(ModelError) as caught:
        transport(kind, url).ask(question(), Cancel())
    assert caught.value.code == "unreachable"


def test_cancelling_from_another_thread_ends_a_stalled_exchange_at_once(kind: str) -> None:
    cancel = Cancel()
    with serving(loopback.stall(300)) as server:
        threading.Timer(0.3, cancel.cancel).start()
        start = time.monotonic()
        with pytest.raises(CancelledError):
            transport(kind, server.url).ask(question(seconds=60), cancel)
        assert time.monotonic() - start < 60
        with pytest.raises(CancelledError):
            transport(kind, server.url).ask(question(), cancel)


CUT_ANSWERS: dict[str, Callable[[], Raw]] = {
    "ollama": lambda: wrapped("/api/chat", rubric(), done_reason="length"),
    "openai": lambda: wrapped(
        "/chat/completions", "", choices=[{"finish_reason": "length", "message": {"content": "{"}}]
    ),
    "claude": lambda: Raw(body=b'{"stop_reason": "max_tokens", "content": []}'),
}


def test_an_answer_that_reached_the_token_limit_is_incomplete_even_if_it_parses(kind: str) -> None:
    with serving(CUT_ANSWERS[kind]()) as server, pytest.raises(ModelError) as caught:
        transport(kind, server.url).ask(question(), Cancel())
    assert caught.value.code == "cut_by_limit"


def test_a_model_that_declines_is_no_rubric() -> None:
    for kind, reply in {
        "openai": wrapped(
            "/chat/completions", "", choices=[{"message": {"content": None, "refusal": "No puedo."}}]
        ),
        "claude": Raw(body=b'{"stop_reason": "refusal", "content": []}'),
    }.items():
        with serving(reply) as server, pytest.raises(ModelError) as caught:
            transport(kind, server.url).ask(question(), Cancel())
        assert caught.value.code == "declined"


def test_a_server_without_schemas_is_asked_in_the_next_simpler_form_and_that_is_remembered() -> None:
    def script(number: int, request: dict[str, Any]) -> Raw | str:
        form = request["json"].get("response_format", {}).get("type")
        return Raw(400, b'{"error": {"message": "response_format"}}') if form else rubric()

    with serving(script) as server:
        way = transport("openai", server.url)
        way.ask(question(), Cancel())
        way.ask(question(), Cancel())
    forms = [r["json"].get("response_format", {}).get("type") for r in server.requests]
    assert forms == ["json_schema", "json_object", None, None]


@pytest.mark.parametrize("refused", ["max_tokens", "temperature"])
def test_a_model_that_refuses_the_older_settings_is_asked_without_them(refused: str) -> None:
    def script(number: int, request: dict[str, Any]) -> Raw | str:
        told = json.dumps({"error": {"message": f"Unsupported parameter: '{refused}'"}}).encode()
        return Raw(400, told) if refused in request["json"] else rubric()

    with serving(script) as server:
        way = transport("openai", server.url)
        way.ask(question(), Cancel())
        way.ask(question(), Cancel())
    sent = [request["json"] for request in server.requests]
    assert [one.get("max_completion_tokens") for one in sent] == [None, 1200, 1200]
    assert [one["response_format"]["type"] for one in sent] == ["json_schema"] * 3
    assert "temperature" not in sent[1]


def test_the_context_of_ollama_is_set_to_the_question_and_a_question_too_long_is_refused() -> None:
    with serving() as server:
        way = Ollama(parse_server(server.url, option="t"), MODEL, context=16384)
        way.ask(question(user="x" * 10_000), Cancel())
        # 10,000 and 13 characters at two a token, and 1200 for the answer: 6206, in steps of 4096
        assert server.requests[0]["json"]["options"]["num_ctx"] == 8192
        with pytest.raises(ModelError) as caught:
            way.ask(question(user="x" * 40_000), Cancel())
    assert caught.value.code == "too_long"
    assert not caught.value.retry
    assert len(server.requests) == 1


def test_a_model_without_a_tag_is_its_latest() -> None:
    assert same_model("llama3", "llama3:latest")
    assert same_model("casa/llama3:8b", "casa/llama3:8b")
    assert not same_model("llama3", "llama3:8b")
    assert not same_model("", "llama3:8b")


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://127.0.0.1:11434", True),
        ("http://127.9.9.9", True),
        ("http://[::1]:1234/v1/", True),
        ("http://localhost", True),
        ("http://LOCALHOST:80", True),
        ("http://localhost.", True),
        ("http://127.0.0.1.example.org", False),
        ("http://localhost.example.org", False),
        ("https://api.example.org/v1", False),
        ("http://0.0.0.0:11434", False),
        ("http://192.168.1.10:11434", False),
        ("http://2130706433", False),
        ("http://0x7f.1", False),
    ],
)
def test_only_loopback_is_this_machine(url: str, local: bool) -> None:
    assert parse_server(url, option="--juez").local is local


@pytest.mark.parametrize(
    "url",
    [
        "ftp://127.0.0.1",
        "127.0.0.1:11434",
        "http://",
        "http://u:p@127.0.0.1",
        "http://127.0.0.1@example.org",
        "http://127.0.0.1/?x=1",
        "http://127.0.0.1/#x",
        "http://127.0.0.1:99999",
        "http://127.0.0.1:0",
        "http://127.0.0.1\\@example.org",
        "http://ex ample.org",
        "http://exa\u0301mple.org",
        "http://[::1",
        "http://127.0.0.1\r\nX: y",
    ],
)
def test_an_address_that_hides_where_it_leads_is_refused(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_server(url, option="--juez")
    assert caught.value.code == "bad_url"


def test_a_local_name_that_resolves_elsewhere_is_not_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[Any] = []

    def elsewhere(*args: Any, **kwargs: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.7", 80))]

    monkeypatch.setattr(socket, "getaddrinfo", elsewhere)
    monkeypatch.setattr(socket, "create_connection", lambda *a, **k: tried.append(a))
    with pytest.raises(ModelError) as caught:
        exchange(parse_server("http://localhost", option="t"), "GET", "/", seconds=1, cancel=Cancel())
    assert caught.value.code == "unreachable"
    assert tried == []


def test_the_wait_a_server_asks_for_is_read_as_seconds_or_as_a_date_and_nonsense_is_none() -> None:
    assert retry_after({"retry-after": "7"}) == 7.0
    assert retry_after({"retry-after": "-3"}) == 0.0
    assert retry_after({"retry-after": "1e400"}) is None
    assert retry_after({"retry-after": "nan"}) is None
    assert retry_after({"retry-after": "mañana"}) is None
    assert retry_after({}) is None
    assert retry_after({"retry-after": "Wed, 01 Jan 2020 00:00:00 GMT"}) == 0.0
    far = retry_after({"retry-after": "Wed, 01 Jan 2200 00:00:00 GMT"})
    assert far is not None
    assert math.isfinite(far)


def over_tls(port: int, seconds: float = 0.6) -> ModelError:
    with pytest.raises(ModelError) as caught:
        exchange(
            parse_server(f"https://127.0.0.1:{port}", option="t"),
            "GET",
            "/",
            seconds=seconds,
            cancel=Cancel(),
        )
    return caught.value


def test_a_tls_handshake_that_stalls_or_drips_ends_at_the_deadline() -> None:
    def drip(server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            server.accept()[0].close()  # the one of the silent half
            other, _ = server.accept()
            for byte in b"\x16\x03\x03\x10\x00" + b"\x02" * 1000:  # for 50 seconds
                other.send(bytes([byte]))
                time.sleep(0.05)

    with socket.create_server(("127.0.0.1", 0)) as silent:
        start = time.monotonic()
        assert over_tls(silent.getsockname()[1]).code == "too_slow"
        threading.Thread(target=drip, args=(silent,), daemon=True).start()
        assert over_tls(silent.getsockname()[1]).code == "too_slow"
        assert time.monotonic() - start < 25


def test_a_server_that_speaks_no_tls_where_it_should_is_no_partner() -> None:
    with serving() as server:
        assert over_tls(server.server_address[1], seconds=60).code in {"not_http", "cut"}
    assert server.requests == []
    assert server.paths == []


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate of this test")
def test_a_certificate_nobody_vouches_for_ends_the_run_before_anything_is_sent(tmp_path: Path) -> None:
    key, certificate = tmp_path / "k.pem", tmp_path / "c.pem"
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "1",
            "-subj",
            "/CN=127.0.0.1",
            "-keyout",
            str(key),
            "-out",
            str(certificate),
        ],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with serving(tls=context) as server:
        error = over_tls(server.server_address[1], seconds=60)
    assert error.code == "not_trusted"
    assert error.stop
    assert server.requests == []
    assert server.paths == []
