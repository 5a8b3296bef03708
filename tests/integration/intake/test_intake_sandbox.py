"""The child of the intake: what it cannot do, and what its parent survives."""

import json
import platform
import shutil
import sys

import h5py
import pytest

from tests.data import ROOT
from tests.denied_calls import DENIED, OTHER
from tournament.intake import JudgeOptions, child, judge, sandbox
from tournament.intake.child import Message
from tournament.intake.faults import IntakeError, Refused
from tournament.intake.seccomp import MACHINES, NUMBERS

PROBE = "tests.sandbox_probe"


only_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux can close these doors")


@pytest.fixture(scope="module", params=["started", "forked"])
def ask(request):
    """Asks a child of its own, which Python is started for or a template forks."""
    with child.Templates() as templates:

        def asked(action, module=PROBE, wall_seconds=20.0, payload=b"", function="probe", **header):
            usage = child.Usage(templates=templates if request.param == "forked" else None)
            message = Message({"action": action, **header}, payload)
            reply = child.run(
                module, function, message, wall_seconds=wall_seconds, max_reply=100_000, usage=usage
            )
            assert usage.cpu_seconds > 0 and usage.peak_bytes > 1_000_000
            return reply

        yield asked


@pytest.mark.parametrize("text", ["é" * 1_900_000, "\n\0\\ud800", ""])
def test_texts_arrive_as_they_are(text):
    sent = Message({"config": text, "number": 1, "list": [text[:9]]}, b"payload\n")
    assert Message.decode(sent.encode()) == sent


@pytest.mark.slow
def test_a_long_description_in_another_script_is_judged(tmp_path):
    """Escaped it would be six times as long, and no header may have that length."""
    path = tmp_path / "net.h5"
    shutil.copy(ROOT / "data" / "networks" / "resnet" / "best.h5", path)
    with h5py.File(path, "r+") as file:
        model = json.loads(file.attrs["model_config"])
        model["config"]["name"] = "李" * 900_000
        file.attrs["model_config"] = json.dumps(model, ensure_ascii=False)
    assert judge(path, work_dir=tmp_path).accepted


@pytest.mark.parametrize(
    "line",
    [
        b"", b"[]", b"{}", b'{"values": {}}', b'{"values": [], "texts": {}}',
        b'{"values": {}, "texts": {"a": 4}}', b'{"values": {}, "texts": {"a": -1}}',
        b'{"values": {}, "texts": {"a": true}}', b"x" * 6_000_000,
    ],
)
def test_a_forged_header_is_an_error(line):
    with pytest.raises(ValueError):
        Message.decode(line + b"\nxyz")


@only_linux
@pytest.mark.parametrize(
    ("module", "of_thread"), [(PROBE, "RuntimeError"), (f"{PROBE}_threads", "done")]
)
def test_the_doors_that_hold_are_closed(ask, module, of_thread):
    reply = ask("attempt", module)
    held = reply.header["sandbox"]
    assert "rlimits" in held
    doors = {"landlock": ("read", "write"), "seccomp": (
        "fork", "exec", "socket", "kill", "chmod", "utime", "unshare",
    )}
    for layer, attempts in doors.items():
        if layer in held:
            assert [reply.header[name] for name in attempts] == ["PermissionError"] * len(attempts)
    if "seccomp" in held:
        assert reply.header["thread"] == of_thread


@only_linux
def test_the_doors_are_closed_before_the_request_is_read(ask):
    reply = ask("", f"{PROBE}_reading")
    if "seccomp" not in reply.header["sandbox"]:
        pytest.skip("this kernel has no seccomp")
    assert reply.header["socket"] == ["PermissionError"]


@only_linux
@pytest.mark.parametrize("module", [PROBE, f"{PROBE}_threads"])
def test_the_kernel_refuses_each_denied_call(ask, module):
    column = MACHINES[platform.machine()][0] if platform.machine() in MACHINES else None
    if column is None:
        pytest.skip("no filter for this processor")
    denied = [call for call in DENIED if call.numbers[column] is not None]
    reply = ask(
        "call",
        module,
        calls=[
            (call.numbers[column], ["parent" if word == OTHER else word for word in call.arguments])
            for call in denied
        ],
    )
    if "seccomp" not in reply.header["sandbox"]:
        pytest.skip("this kernel has no seccomp")
    errors = zip((call.name for call in denied), reply.header["errors"], strict=True)
    assert dict(errors) == {call.name: call.error for call in denied}


@only_linux
@pytest.mark.parametrize("module", [PROBE, f"{PROBE}_threads"])
def test_what_a_process_asks_of_itself_is_answered(ask, module):
    if platform.machine() not in MACHINES:
        pytest.skip("no filter for this processor")
    column = MACHINES[platform.machine()][0]
    calls = {"prlimit64": (0, 7, 0, 0), "getpid": (), "sched_yield": (), "fcntl": (1, 1)}
    request = [(NUMBERS[name][column], arguments) for name, arguments in calls.items()]
    assert ask("call", module, calls=request).header["errors"] == [0] * len(calls)


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("spin", "processor time"), ("crash", "reading the file failed"), ("memory", "more memory"),
        ("flood", "more room for its data"), ("fail", "ZeroDivisionError"),
        ("names", "layers together are too long"), ("talk_and_fail", "ZeroDivisionError"),
    ],
)
def test_what_goes_wrong_in_a_child_is_a_refusal(ask, action, reason):
    with pytest.raises(Refused, match=reason):
        ask(action)


def test_a_request_with_a_long_header_or_one_that_cannot_be_read_is_a_refusal(ask):
    with pytest.raises(Refused, match="the names of all layers together"):
        ask("echo", weights=[["é" * 1_000_000, [1]]])
    class Forged(Message):
        def encode(self):
            return b"no header\n"

    with pytest.raises(Refused, match="reading the file failed"):
        child.run(PROBE, "probe", Forged({}), wall_seconds=20.0, max_reply=1000)


def test_a_child_that_hangs_is_killed(ask):
    with pytest.raises(Refused, match="not read and evaluated within 2 seconds"):
        ask("sleep", wall_seconds=1.5)
    assert ask("echo").header["size"] == 0


def test_a_child_that_cannot_start_is_our_fault(ask):
    with pytest.raises(IntakeError, match="could not start .*No module named 'tests.no_such_modu"):
        ask("", "tests.no_such_module")


def test_a_child_may_talk_but_claims_no_layers_once_it_has_read_its_request(ask):
    assert ask("talk").header["talked"]
    held = ask("claim").header["sandbox"]
    assert "rlimits" in held and "moon" not in held
    reply = ask("echo", payload=bytes(range(256)) * 10)
    assert reply.header["size"] == 2560 and reply.payload == bytes(range(256)) * 10


@only_linux
def test_a_child_inherits_nothing_of_the_children_before_it(ask):
    """Each is a new process with three pipes, and knows nothing of what another was asked."""
    first, second = (ask("remember", payload=bytes([number])).header for number in range(2))
    assert first["descriptors"] == second["descriptors"] == 3
    assert first["remembered"] == second["remembered"] == 0
    assert first["pid"] != second["pid"]


@pytest.fixture
def no_seccomp(monkeypatch):
    """Children on a machine that lacks a layer of the sandbox."""
    lacking = "import sys; sys.path.insert(0, sys.argv[1]); from tournament.intake import sandbox; "
    lacking += "sandbox.seccomp.restrict = lambda *asked: False; "
    monkeypatch.setattr(child, "_BOOTSTRAP", lacking + child._BOOTSTRAP)


BAD_FILES = {
    "damaged": b"\x89HDF\r\n\x1a\n" + bytes(500), "empty": b"",
    "too_large": bytes(5_000_000), "far_too_large": bytes(33_000_000), "missing": None,
}


@only_linux
@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_without_a_required_sandbox_gets_no_verdict(tmp_path, no_seccomp, name):
    path = tmp_path / "net.h5"
    if BAD_FILES[name] is not None:
        path.write_bytes(BAD_FILES[name])
    with pytest.raises(IntakeError, match=r"^no sandbox: this machine lacks (\w+, )*seccomp;"):
        judge(path, work_dir=tmp_path, options=JudgeOptions(require_sandbox=True))
    assert not judge(path, work_dir=tmp_path).accepted


def test_a_request_is_not_sent_to_a_child_that_lacks_a_layer(monkeypatch):
    """Nobody reads it here, so that sending it would block: it is larger than a pipe."""
    deaf = "import time; print('ready rlimits', flush=True); time.sleep(60)"
    monkeypatch.setattr(child, "_BOOTSTRAP", deaf)
    with pytest.raises(IntakeError, match="no sandbox: this machine lacks nnp, netns"):
        child.run(
            PROBE, "probe", Message({}, bytes(1 << 20)), wall_seconds=5.0, max_reply=1000,
            require_sandbox=True,
        )


def test_missing_layers_are_named():
    assert sandbox.missing_layers("rlimits+nnp+landlock7") == ["netns", "seccomp"]
    assert sandbox.missing_layers("rlimits+netns+nnp+landlock4+seccomp") == []
