"""A program that calls every public function, with options of every kind; type checkers read it, and nobody runs it."""

import asyncio
import datetime
from pathlib import Path
from typing import assert_type

import webkeep
from webkeep import aio

HERE = Path("kept")


def look(progress: webkeep.CaptureProgress) -> int:
    return progress.bytes


def call_all(seeds: list[str], limit: int | None) -> None:
    hosts: dict[str, webkeep.HostOptions] = {"slow.example": {"delay": 5, "robots": "ignore"}}
    captured = webkeep.capture(
        *seeds,
        into="kept",
        seeds_from=[HERE / "seeds.txt"],
        scope="domain",
        include=["*.pdf"],
        exclude="*.zip",
        max_urls=limit,
        max_bytes="2GB",
        delay=0.5,
        purpose="evidence",
        headers={"Accept-Language": "nl"},
        cookies=HERE / "cookies.txt",
        trap_budget="off",
        browser="always",
        hosts=hosts,
        on_progress=look,
        on_note=print,
    )
    assert_type(captured, webkeep.CaptureSummary)
    assert_type(captured.stored, int)
    options: webkeep.CaptureOptions = {"retries": 1, "scope": "host"}
    updated = webkeep.update(HERE, capture=captured.capture, on_change=print, **options)
    assert_type(updated, webkeep.UpdateSummary)
    assert_type(updated.pages, tuple[webkeep.PageChange, ...])
    with webkeep.record(into=HERE, port=0, include="*.pdf", redact=False, robots="obey") as recording:
        assert_type(recording.port, int)
    assert_type(recording.close(), webkeep.RecordingSummary)
    with webkeep.serve(HERE, "other.wacz", port=0, proxy_port=0, proxy_at="2024-03", words=False) as server:
        assert_type(server.url, str)
    assert_type(server.summary, webkeep.ServeSummary)
    moment = datetime.datetime.now(datetime.UTC)
    assert_type(webkeep.mirror(HERE, "out", at=moment, versions=True, zip="out.zip"), webkeep.MirrorSummary)
    assert_type(webkeep.mirror_page(HERE, seeds[0], "page.html"), webkeep.PageSummary)
    assert_type(webkeep.copy(seeds[0], out="out", max_urls=3, on_copy_progress=print), webkeep.CopySummary)
    recovered = webkeep.recover(
        *seeds, repositories=["wayback", "warc=a.warc.gz"], into=HERE, at="2009", policy="sparing", on_progress=print
    )
    assert_type(recovered, webkeep.RecoverySummary)
    assert_type(webkeep.survey(*seeds, repositories="wayback").held, bool)
    compared = webkeep.diff(HERE, before="2024-03", after=webkeep.Moment.parse("2024-04-01"), html="diff.html")
    assert_type(compared, webkeep.DiffSummary)
    assert_type(compared.changes[webkeep.ChangeKind.CHANGED], int)
    assert_type(webkeep.verify(HERE, on_finding=print), webkeep.VerifySummary)
    judged = webkeep.verify_package(HERE / "a.wacz", keys=["key.pem"], stamped=True)
    assert_type(judged, webkeep.PackageSummary)
    assert_type(judged.verdict.is_sound, bool)
    assert_type(webkeep.stamp("a.wacz", ["https://stamps.example/"]), webkeep.StampSummary)
    assert_type(webkeep.certify(HERE, output="certificate.json", verify=False), webkeep.CertifySummary)
    assert_type(webkeep.export(HERE, warc="a.warc.gz", match="host", url="example.org"), webkeep.ExportSummary)
    signed = webkeep.export(
        HERE, wacz="a.wacz", sign=True, certificate="press.pem", authorities=["https://stamps.example/"]
    )
    assert_type(signed.stamps, tuple[webkeep.Moment, ...] | None)
    assert_type(webkeep.import_files("a.warc.gz", HERE / "b.wacz", into=HERE), webkeep.ImportSummary)
    removed = webkeep.remove(HERE, url="example.org/a", match=webkeep.UrlMatch.EXACT, reason="asked for", yes=True)
    assert_type(removed, webkeep.RemovalSummary)
    assert_type(webkeep.check("https://example.org/"), webkeep.CheckSummary)
    assert_type(webkeep.report(HERE, output="report.json"), webkeep.ReportSummary)
    assert_type(
        webkeep.report(HERE, browser=True, offline=True, browser_pages=3, browser_seconds=60), webkeep.ReportSummary
    )
    packed = webkeep.evidence(
        *seeds, into=HERE, operator="the news desk", vantages=["phone user-agent=x"], scope="page"
    )
    assert_type(packed, webkeep.EvidenceSummary)
    assert_type(packed.shortcomings, tuple[str, ...])
    assert_type(webkeep.check("https://example.org/", delay=1.0), webkeep.CheckSummary)
    assert_type(webkeep.report_states(HERE, html="report.html"), webkeep.StatesSummary)
    with webkeep.open(HERE) as archive, webkeep.open(HERE, create=True) as writable:
        assert_type(archive, webkeep.Archive)
        assert_type(writable, webkeep.WritableArchive)
        assert_type(webkeep.diff_text(archive, compared.pages[0]), list[str])
    assert_type(verify_progress(webkeep.WorkProgress("verifying", {"records": 1}, 0.5)), float)


def verify_progress(progress: webkeep.WorkProgress) -> float:
    return progress.seconds


async def await_all(seeds: list[str]) -> None:
    async def look_later(progress: webkeep.CaptureProgress) -> None:
        await asyncio.sleep(progress.bytes)

    captured = await aio.capture(*seeds, into=HERE, max_urls=3, on_progress=look_later)
    assert_type(captured, webkeep.CaptureSummary)
    assert_type(await aio.update(HERE, retries=1), webkeep.UpdateSummary)
    assert_type(await aio.mirror(HERE, "out"), webkeep.MirrorSummary)
    assert_type(await aio.mirror_page(HERE, seeds[0], "page.html"), webkeep.PageSummary)
    assert_type(await aio.copy(seeds[0], out="out"), webkeep.CopySummary)
    assert_type(await aio.recover(*seeds, repositories="wayback", into=HERE), webkeep.RecoverySummary)
    assert_type(await aio.survey(*seeds, repositories="wayback"), webkeep.SurveySummary)
    assert_type(await aio.diff(HERE), webkeep.DiffSummary)
    assert_type(await aio.verify(HERE, on_finding=print), webkeep.VerifySummary)
    assert_type(await aio.verify_package(HERE / "a.wacz", unsigned=True), webkeep.PackageSummary)
    assert_type(await aio.stamp("a.wacz", "https://stamps.example/"), webkeep.StampSummary)
    assert_type(await aio.certify(HERE), webkeep.CertifySummary)
    assert_type(await aio.export(HERE, cdxj="a.cdxj"), webkeep.ExportSummary)
    assert_type(await aio.import_files("a.warc.gz", into=HERE), webkeep.ImportSummary)
    assert_type(await aio.remove(HERE, url="example.org/a"), webkeep.RemovalSummary)
    assert_type(await aio.check("https://example.org/"), webkeep.CheckSummary)
    assert_type(await aio.report(HERE), webkeep.ReportSummary)
    assert_type(await aio.evidence(*seeds, into=HERE), webkeep.EvidenceSummary)
    assert_type(await aio.stamp("a.wacz", "https://stamps.example/"), webkeep.StampSummary)
    assert_type(await aio.verify_package("a.wacz"), webkeep.PackageSummary)
    assert_type(await aio.report_states(HERE), webkeep.StatesSummary)
    async with aio.serve(HERE, port=0) as server:
        assert_type(server, webkeep.ReplayServer)
    async with aio.record(into=HERE) as recording:
        assert_type(recording, webkeep.Recording)
