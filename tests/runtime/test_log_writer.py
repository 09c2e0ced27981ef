"""The writer of log lines, against real pipes, files and disks that do not take them."""

import os
import re
import select
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress

import pytest

from runtime.log_writer import BUFFER_BYTES, NO_DESCRIPTOR, LogWriter
from tests.waiting import DEADLINE, wait_until

HIGH = 700
"""A descriptor that nothing else gets."""


REASONS = {"no reader": "Broken pipe", "full": "No space left", "closed": "Bad file descriptor"}


def lost_line(count):
    return b"lost %d\n" % count


class Reader(threading.Thread):
    """Reads a pipe to its end."""

    def __init__(self, pipe):
        super().__init__(daemon=True)
        self.pipe = pipe
        self.text = b""
        self.start()

    def run(self):
        while piece := os.read(self.pipe, 1 << 20):
            self.text += piece

    def lines(self):
        return self.text.decode().splitlines()


@contextmanager
def descriptor_at(number, opened):
    """Put an open descriptor at a number of its own; the test may put others there, or none."""
    os.dup2(opened, number)
    os.close(opened)
    yield number
    with suppress(OSError):
        os.close(number)


@pytest.fixture
def pipe():
    """A pipe that nobody reads: its end for reading, and a descriptor for writing."""
    reading, opened = os.pipe()
    with descriptor_at(HIGH, opened) as writing:
        yield reading, writing
    with suppress(OSError):
        os.close(reading)


@pytest.fixture
def writer_on():
    """Makes writers. At the end they are closed and let go of their descriptors."""
    writers = []

    def make(descriptor):
        writers.append(LogWriter(descriptor, lost_line))
        return writers[-1]

    yield make
    for writer in writers:
        writer.close()
        writer._thread.join(DEADLINE)
        assert not writer._thread.is_alive()


def write_numbers(writer, first, last, text="a line"):
    for number in range(first, last):
        writer.write(b"%d %s\n" % (number, text.encode()))


def numbers(lines):
    return [int(line.split()[0]) for line in lines]


def redirect(descriptor, path):
    """Put a fresh file in the place of a descriptor."""
    opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(opened, descriptor)
    os.close(opened)


def test_lines_are_written_in_order_and_those_of_requests_a_little_later(pipe, writer_on):
    reading, writing = pipe
    writer = writer_on(writing)
    for number in range(1000):
        writer.write(b"%d\n" % number, at_once=number % 2 == 0)
    reader = Reader(reading)
    wait_until(lambda: len(reader.lines()) == 1000, "all lines")
    assert numbers(reader.lines()) == list(range(1000))
    writer.write(b"1000\n", at_once=False)
    wait_until(lambda: len(reader.lines()) == 1001, "the last line")


def test_lines_that_may_wait_are_written_before_they_fill_the_buffer(pipe, writer_on, monkeypatch):
    monkeypatch.setattr("runtime.log_writer.PAUSE_SECONDS", DEADLINE)
    reading, writing = pipe
    writer = writer_on(writing)
    reader = Reader(reading)
    line = b"x" * 999 + b"\n"
    for _ in range(BUFFER_BYTES // 2 // len(line) + 1):
        writer.write(line, at_once=False)
    wait_until(lambda: len(reader.text) > BUFFER_BYTES // 2, "the lines")


def test_a_stuck_reader_costs_bounded_memory_and_every_dropped_line_is_counted(pipe, writer_on):
    reading, writing = pipe
    writer = writer_on(writing)
    counted = []
    writer.on_drop = lambda: counted.append(1)
    count, text = 200_000, "x" * 100
    largest = 0
    for number in range(count):
        writer.write(b"%d %s\n" % (number, text.encode()))
        largest = max(largest, len(writer._buffer))
    assert 0.99 * BUFFER_BYTES < largest <= BUFFER_BYTES
    assert writer.dropped == len(counted) > 100_000

    reader = Reader(reading)
    wait_until(lambda: "lost" in reader.text.decode(), "the line that says how many were lost")
    *lines, lost = reader.lines()
    assert numbers(lines) == sorted(set(numbers(lines)))
    assert lost == f"lost {writer.dropped}"
    assert len(lines) + writer.dropped == count
    writer.write(b"after\n")
    wait_until(lambda: reader.lines()[-1] == "after", "a line after that")
    assert reader.text.count(b"lost") == 1


def test_a_full_pipe_that_does_not_block_is_written_when_there_is_room(pipe, writer_on):
    reading, writing = pipe
    os.set_blocking(writing, False)
    writer = writer_on(writing)
    write_numbers(writer, 0, 5000, "x" * 100)
    wait_until(lambda: not select.select([], [writing], [], 0)[1], "a full pipe")
    reader = Reader(reading)
    wait_until(lambda: "4999 x" in reader.text.decode(), "the last line")
    assert numbers(reader.lines()) == list(range(5000))
    assert writer.dropped == 0


@pytest.mark.parametrize("what", REASONS)
def test_writing_goes_on_when_the_sink_is_replaced(pipe, writer_on, tmp_path, what):
    reading, writing = pipe
    if what == "no reader":
        os.close(reading)
    elif what == "full":
        redirect(writing, "/dev/full")
    else:
        os.close(writing)
    with pytest.raises(OSError, match=REASONS[what]):
        os.write(writing, b"x")
    writer = writer_on(writing)
    write_numbers(writer, 0, 30_000, "x" * 100)
    assert writer.dropped > 0
    file = tmp_path / "log"
    redirect(writing, file)
    wait_until(lambda: "lost" in file.read_text(), "the line that says how many were lost")
    *lines, lost = file.read_text().splitlines()
    assert lost == f"lost {writer.dropped}"
    assert len(lines) + writer.dropped == 30_000
    assert numbers(lines) == sorted(set(numbers(lines)))
    write_numbers(writer, 30_000, 30_010)
    wait_until(lambda: file.read_text().endswith("30009 a line\n"), "new lines")


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 256 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", folder], check=False, capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("may not mount a disk")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


def test_after_a_full_disk_the_file_has_every_line_whole_and_once(small_disk, writer_on):
    (small_disk / "other").write_bytes(bytes(200_000))
    opened = os.open(small_disk / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    with descriptor_at(HIGH, opened) as writing:
        writer = writer_on(writing)
        write_numbers(writer, 0, 2000, "x" * 100)
        wait_until(lambda: os.statvfs(small_disk).f_bfree == 0, "a full disk")
        assert "1999 x" not in (small_disk / "log").read_text()
        (small_disk / "other").unlink()
        wait_until(lambda: "1999 x" in (small_disk / "log").read_text(), "the last line")
        assert (small_disk / "log").read_text() == "".join(f"{number} {'x' * 100}\n" for number in range(2000))
        assert writer.dropped == 0
        writer.close()
        writer._thread.join()


def test_a_line_that_is_too_long_is_dropped_and_said_so(pipe, writer_on):
    reading, writing = pipe
    writer = writer_on(writing)
    reader = Reader(reading)
    writer.write(b"x" * BUFFER_BYTES + b"\n")
    writer.write(b"short\n")
    wait_until(lambda: sorted(reader.lines()) == ["lost 1", "short"], "both lines")
    writer.write(b"y" * (BUFFER_BYTES - 1) + b"\n")
    wait_until(lambda: reader.text.endswith(b"y\n"), "a line that just fits")


def test_without_a_sink_lines_are_counted(writer_on):
    writer = writer_on(NO_DESCRIPTOR)
    write_numbers(writer, 0, 30_000, "x" * 100)
    assert writer.dropped > 0


def run(code, **options):
    """Run a program that writes to its standard output with a writer of its own."""
    setup = """
import os, signal, sys, threading, time
from runtime.log_writer import LogWriter, standard_output
writer = LogWriter(standard_output(), lambda lost: b"lost %d\\n" % lost)
"""
    return subprocess.Popen([sys.executable, "-W", "ignore", "-c", setup + code], **options)


def output_of(code):
    process = run(code, stdout=subprocess.PIPE)
    output, _ = process.communicate(timeout=DEADLINE)
    assert process.returncode == 0
    return output.decode().splitlines()


def test_a_fork_neither_loses_nor_repeats_lines():
    """Other threads write all the time, so lines wait and the lock is taken while the process forks."""
    lines = output_of("""
stop = threading.Event()
def write(name):
    number = 0
    while not stop.is_set():
        writer.write(b"%s %d\\n" % (name, number), at_once=number % 3 == 0)
        number += 1
        time.sleep(0)
    writer.write(b"%s end %d\\n" % (name, number))
threads = [threading.Thread(target=write, args=(name,)) for name in (b"a", b"b")]
for thread in threads: thread.start()
for child in range(20):
    writer.write(b"parent %d\\n" % child, at_once=False)
    pid = os.fork()
    if pid == 0:
        for number in range(10): writer.write(b"child%d %d\\n" % (child, number), at_once=False)
        writer.flush()
        os._exit(0)
    os.waitpid(pid, 0)
stop.set()
for thread in threads: thread.join()
writer.flush()
""")
    written = {}
    for line in lines:
        name, *rest = line.split()
        written.setdefault(name, []).append(rest)
    for name in ("a", "b"):
        *rest, (_, count) = written[name]
        assert [int(number) for (number,) in rest] == list(range(int(count)))
    assert [int(number) for (number,) in written["parent"]] == list(range(20))
    for child in range(20):
        assert [int(number) for (number,) in written[f"child{child}"]] == list(range(10))


def test_a_child_counts_only_its_own_drops():
    lines = output_of("""
for _ in range(20_000): writer.write(b"x" * 999 + b"\\n")
assert writer.dropped
pid = os.fork()
if pid == 0:
    writer.write(b"%d dropped in the child\\n" % writer.dropped)
    writer.flush()
    os._exit(0)
os.waitpid(pid, 0)
""")
    assert "0 dropped in the child" in lines


def test_processes_that_share_a_full_pipe_do_not_mix_their_lines():
    process = run(
        """
for name in "abcd":
    if os.fork() == 0:
        for number in range(2000):
            writer.write((f"{name * (number % 300)} {number}\\n").encode())
        while writer._has_work(): time.sleep(0.01)
        os._exit(0)
for _ in "abcd": os.wait()
""",
        stdout=subprocess.PIPE,
    )
    text = b""
    while piece := os.read(process.stdout.fileno(), 1000):  # slowly, so that the pipe is full
        text += piece
    assert process.wait(DEADLINE) == 0
    process.stdout.close()
    lines = text.decode().splitlines()
    assert len(lines) == 8000
    assert all(re.fullmatch(r"(a*|b*|c*|d*) \d+", line) for line in lines)


def test_a_signal_handler_may_write_while_its_thread_writes():
    lines = output_of("""
signal.signal(signal.SIGUSR1, lambda *_: writer.write(b"handler\\n"))
with writer._lock:
    signal.raise_signal(signal.SIGUSR1)
writer.write(b"line\\n")
writer.flush()
""")
    assert lines == ["handler", "line"]


def test_a_process_ends_although_its_reader_is_stuck():
    reading, writing = os.pipe()
    with run("for _ in range(90_000): writer.write(b'line\\n')\nwriter.flush()", stdout=writing) as process:
        assert process.wait(DEADLINE) == 0
    os.close(reading)
    os.close(writing)


def test_if_standard_output_was_closed_the_next_file_does_not_get_the_lines(tmp_path):
    """The kernel gives the number 1 to the next file that is opened."""
    code = f"""
file = os.open({str(tmp_path / "file")!r}, os.O_WRONLY | os.O_CREAT)
assert file == 1
writer.write(b"line\\n")
writer.flush()
"""
    process = run(code, preexec_fn=lambda: os.close(1))
    assert process.wait(DEADLINE) == 0
    assert (tmp_path / "file").read_bytes() == b""
