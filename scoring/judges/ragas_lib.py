"""The grounding metrics of the ragas library (extra ``ragas``), one public result per sample.

The library sends usage statistics unless told not to, and its client would follow redirects and read
proxy settings. It is told not to, and its requests go through :mod:`scoring.judges.exchange`.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import math
import os
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scoring.judges.claude import MissingExtraError
from scoring.judges.errors import CancelledError, ModelError
from scoring.judges.exchange import Cancel, exchange, require_ok

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from scoring.judges.samples import Sample
    from scoring.judges.servers import Server

METRICS = ("faithfulness", "llm_context_precision_without_reference", "context_recall")
"""The metrics, in report order."""

_TALKATIVE = ("instructor", "ragas", "openai", "langchain_core", "langchain_community")
"""Loggers that quote questions and answers."""
_TOKENS = 3000
_DECIMALS = 9
_deadline: contextvars.ContextVar[float] = contextvars.ContextVar("deadline")


@dataclass(frozen=True, slots=True)
class Measured:
    """One metric of one sample.

    Attributes:
        case_id: whose it is.
        metric: its name.
        value: between 0 and 1, or None: not measured.
        reason: code of why not; empty when it was.
        seconds: what it took.
    """

    case_id: str
    metric: str
    value: float | None
    reason: str
    seconds: float


def load_library() -> Any:
    """The library's metric module, with its statistics switched off.

    Raises:
        MissingExtraError: the extra ``ragas`` is not installed, or cannot be imported.
    """
    os.environ["RAGAS_DO_NOT_TRACK"] = "true"
    hush()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from ragas.metrics import collections
    except ImportError:
        raise MissingExtraError("judges.no_extra", extra="ragas") from None
    return collections


def hush() -> None:
    """Keep the log of the library and of what it uses from every stream: it quotes texts of cases.

    What went wrong is told in our own words (:class:`Measured`), without a word of the case.
    """
    for name in _TALKATIVE:
        logger = logging.getLogger(name)
        logger.addHandler(logging.NullHandler())
        logger.propagate = False


def measure(
    samples: Sequence[Sample],
    server: Server,
    model: str,
    key: str,
    *,
    workers: int,
    seconds: float,
    pause: float,
    cancel: Cancel,
    progress: Callable[[Measured], None] | None = None,
) -> list[Measured]:
    """Every metric of every sample.

    Args:
        samples: the cases.
        server: speaks the OpenAI chat protocol.
        model: its model.
        key: bearer token, or nothing.
        workers: metrics under way at once.
        seconds: for one metric of one sample, all its questions together.
        pause: seconds before a question that failed is put once more.
        cancel: ends the run from another thread.
        progress: told of each measurement, in the caller's thread.

    Raises:
        MissingExtraError: the library is not there.
        KeyboardInterrupt: after every exchange was hung up.
    """
    library = load_library()
    return asyncio.run(
        _measure(
            library,
            samples,
            _Line(server, key, pause, cancel),
            model,
            workers=workers,
            seconds=seconds,
            progress=progress,
        )
    )


@dataclass(frozen=True, slots=True)
class _Line:
    """The way to the server, as one value."""

    server: Server
    key: str
    pause: float
    cancel: Cancel


async def _measure(
    library: Any,
    samples: Sequence[Sample],
    line: _Line,
    model: str,
    *,
    workers: int,
    seconds: float,
    progress: Callable[[Measured], None] | None,
) -> list[Measured]:
    pool = ThreadPoolExecutor(max_workers=workers)
    fatal: list[str] = []
    results: list[Measured] = []
    turn = asyncio.Semaphore(workers)
    try:
        scorers = _scorers(library, line, model, pool)

        async def one(item: Sample, metric: str) -> None:
            async with turn:
                if fatal:
                    measured = Measured(item.case_id, metric, None, fatal[0], 0.0)
                else:
                    measured = await _one(scorers[metric], item, metric, seconds, fatal)
            results.append(measured)
            if progress is not None:
                progress(measured)

        await asyncio.gather(*(one(item, metric) for item in samples for metric in METRICS))
    finally:
        if len(results) < len(samples) * len(METRICS):
            line.cancel.cancel()
        pool.shutdown(wait=True)
    order = {item.case_id: place for place, item in enumerate(samples)}
    return sorted(results, key=lambda m: (order[m.case_id], METRICS.index(m.metric)))


async def _one(
    score: Callable[[Sample], Any], item: Sample, metric: str, seconds: float, fatal: list[str]
) -> Measured:
    start = time.monotonic()
    _deadline.set(start + seconds)
    value, reason = None, ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = await asyncio.wait_for(score(item), seconds)
        value = usable(found.value)
        reason = "" if value is not None else "nan"
    except (CancelledError, asyncio.CancelledError):
        raise
    except TimeoutError:
        reason = "too_slow"
    except Exception as error:  # noqa: BLE001 - the library lets through whatever its parts raise
        cause = _cause(error)
        if isinstance(cause, CancelledError):
            raise cause from None
        reason = cause.code if isinstance(cause, ModelError) else "no_answer"
        if isinstance(cause, ModelError) and cause.stop:
            fatal.append(reason)
    return Measured(item.case_id, metric, value, reason, time.monotonic() - start)


def usable(found: object) -> float | None:
    """A score of the library as a figure; None for NaN, an infinity, another type or another scale.

    Rounded at nine decimals: the library adds 1e-10 to a denominator, which would make a sample that is
    exactly at a floor fail it.
    """
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    figure = float(found)
    if not math.isfinite(figure) or not -1e-9 <= figure <= 1 + 1e-9:
        return None
    return min(max(round(figure, _DECIMALS), 0.0), 1.0)


def _cause(error: BaseException) -> BaseException | None:
    """Our own error inside those the library and its client made of it."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        inner = waiting.pop()
        if inner is None or id(inner) in seen:
            continue
        seen.add(id(inner))
        if isinstance(inner, ModelError | CancelledError):
            return inner
        waiting += [inner.__cause__, inner.__context__]
        waiting += [found for found in inner.args if isinstance(found, BaseException)]
    return None


def _transport(line: _Line, pool: ThreadPoolExecutor) -> Any:
    """The HTTP transport of the library's client, by way of :func:`scoring.judges.exchange.exchange`."""
    import httpx

    server = line.server

    class Through(httpx.AsyncBaseTransport):  # type: ignore[misc,unused-ignore]  # the extra may be absent
        async def handle_async_request(self, request: Any) -> Any:
            path = request.url.raw_path.decode("ascii").removeprefix(server.path)
            unwanted = {"host", "content-length", "connection", "accept-encoding", "transfer-encoding"}
            headers = {k: v for k, v in request.headers.items() if k.lower() not in unwanted}
            if not line.key:
                headers.pop("authorization", None)
            body = await request.aread()
            loop = asyncio.get_running_loop()

            def put() -> Any:
                return exchange(
                    server,
                    request.method,
                    path,
                    body,
                    headers=headers,
                    seconds=max(end - time.monotonic(), 0.01),
                    cancel=line.cancel,
                )

            end = _deadline.get()
            for attempt in (1, 2):
                try:
                    reply = await loop.run_in_executor(pool, put)
                    require_ok(reply, server)
                    break
                except ModelError as error:
                    pause = line.pause if error.wait is None else max(error.wait, line.pause)
                    if attempt == 2 or not error.retry or time.monotonic() + pause > end:
                        raise
                    await asyncio.sleep(pause)
            return httpx.Response(
                200, headers={"content-type": "application/json"}, content=reply.body, request=request
            )

    return Through()


def _scorers(
    library: Any, line: _Line, model: str, pool: ThreadPoolExecutor
) -> Mapping[str, Callable[[Sample], Any]]:
    """By metric, what scores one sample with ``model``."""
    import httpx
    import openai
    from ragas.llms import llm_factory

    client = openai.AsyncOpenAI(
        base_url=line.server.address,
        api_key=line.key or "sin-clave",
        max_retries=0,
        http_client=httpx.AsyncClient(
            transport=_transport(line, pool), trust_env=False, follow_redirects=False
        ),
    )
    llm = llm_factory(model, provider="openai", client=client, temperature=0.0, max_tokens=_TOKENS)
    faithful = library.Faithfulness(llm=llm)
    precise = library.ContextPrecisionWithoutReference(llm=llm)
    recalled = library.ContextRecall(llm=llm)
    return {
        METRICS[0]: lambda s: faithful.ascore(
            user_input=s.question, response=s.answer, retrieved_contexts=list(s.passages)
        ),
        METRICS[1]: lambda s: precise.ascore(
            user_input=s.question, response=s.answer, retrieved_contexts=list(s.passages)
        ),
        METRICS[2]: lambda s: recalled.ascore(
            user_input=s.question, retrieved_contexts=list(s.passages), reference=s.reference
        ),
    }
