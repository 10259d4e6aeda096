"""Files that people send have their room before the first byte is read, and mere readers send none."""

import http.client
import json
import shutil
from pathlib import Path

import pytest
from people_server import PeopleServer, people_server

from webkeep.dashboard.endpoint_table import ENDPOINTS
from webkeep.dashboard.pages.start import MAX_UPLOAD_BYTES
from webkeep.dashboard.sent_forms import MAX_FORM_BYTES
from webkeep.errors import UsageError
from webkeep.service.accounts import AccountRole, Permission
from webkeep.service.collections import CollectionFacts
from webkeep.service.run import DiskBudget, JobLimits, ServiceSettings
from webkeep.service.run.disk_budget import ReceivingRoom

LARGE = 1_000_000_000
HUGE = 100 * LARGE
"""So much that whatever else is written to the disk meanwhile makes no difference."""


def announce(server: PeopleServer, path: str, secret: str, length: str) -> tuple[int, str]:
    """What is answered to who says how much they are going to send, before any of it is."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.putrequest("POST", path)
    connection.putheader("Authorization", f"Bearer {secret}")
    connection.putheader("Content-Type", "multipart/form-data; boundary=edge")
    connection.putheader(*(("Content-Length", length) if length else ("Transfer-Encoding", "chunked")))
    connection.endheaders()
    answer = connection.getresponse()
    said = json.loads(answer.read())["error"]
    connection.close()
    return answer.status, said


def test_who_may_send_no_files_is_refused_before_they_are_read(tmp_path: Path) -> None:
    large = [each for each in ENDPOINTS if each.max_body_bytes > MAX_FORM_BYTES]
    assert {each.path for each in large} >= {"/uploads", "/collections/{collection}/seeds", "/api/v1/uploads"}
    settings = ServiceSettings(tmp_path / "service", limits=JobLimits(budget=DiskBudget(1)))
    with people_server(tmp_path / "service", settings=settings) as server:
        server.service.collections.create(CollectionFacts("town", "Town"), server.clock.now())
        reader = server.add_token(server.add_account("ben", AccountRole.READER), Permission.ADMINISTER)
        curator = server.add_token(server.add_account("cur", AccountRole.CURATOR), Permission.ADMINISTER)
        for each in large:
            path = each.path.replace("{collection}", "town")
            program = path if path.startswith("/api/") else f"{path}?json"
            assert announce(server, program, reader, str(LARGE))[0] == 403, path
            assert announce(server, program, curator, str(MAX_UPLOAD_BYTES + 1))[0] == 400, path
            status, said = announce(server, program, curator, "")
            assert status == 400 and "Content-Length" in said, path


def test_a_file_that_would_fill_the_disk_is_not_read(tmp_path: Path) -> None:
    too_much = shutil.disk_usage(tmp_path).free - LARGE // 2
    settings = ServiceSettings(tmp_path / "service", limits=JobLimits(budget=DiskBudget(too_much)))
    with people_server(tmp_path / "service", settings=settings) as server:
        curator = server.add_token(server.add_account("cur", AccountRole.CURATOR), Permission.ADMINISTER)
        status, said = announce(server, "/api/v1/uploads", curator, str(LARGE))
        assert (
            status == 400 and said == "the disk has no room to take 1,000,000,000 bytes; make room first, or send less"
        )


def test_files_that_are_sent_together_have_room_together(tmp_path: Path) -> None:
    room = ReceivingRoom(tmp_path, DiskBudget(shutil.disk_usage(tmp_path).free - 5 * HUGE))
    with room.take(HUGE), pytest.raises(UsageError, match="no room"), room.take(2 * HUGE):
        pass
    with room.take(2 * HUGE):
        pass
