"""Processes that are told what to do line by line, and what they cost between two lines."""
import os
import resource
import select
import socket
import struct
import subprocess
import tempfile
import time
from pathlib import Path


def raise_descriptors():
    """As many descriptors as this process may have; children inherit it. Gives the number."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


class Ended(Exception):
    """A process that should have answered has ended or keeps silent."""


class Told:
    """A process with a pipe to its input and one from its output; both ends of its life are here."""

    def __init__(self, command, core=None, counts_allocations=None, port=None):
        environment = dict(os.environ)
        self.counter = None
        if counts_allocations:
            self.counter = tempfile.NamedTemporaryFile()
            self.counter.write(bytes(16))
            self.counter.flush()
            environment |= {"LD_PRELOAD": str(counts_allocations), "BENCH_ALLOCATIONS": self.counter.name}
        if core is not None:
            command = ["taskset", "-c", str(core % os.cpu_count()), *command]
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self.errors, env=environment)
        if port:
            self.wait_for(port)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def wait_for(self, port):
        """Returns when something listens there."""
        for _ in range(300):
            if self.process.poll() is not None:
                raise Ended(self.complaint())
            if answers(port):
                time.sleep(0.1)  # The server sees that the probe has gone.
                return
            time.sleep(0.03)
        raise Ended(f"nothing listens on port {port}")

    def complaint(self):
        self.errors.seek(0)
        return f"{self.process.args}: {self.errors.read().decode(errors='replace')[-400:]}"

    def line(self, seconds=60):
        """The next line that it prints."""
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        text = self.process.stdout.readline().decode() if ready else ""
        if not text:
            raise Ended(f"no answer: {self.complaint()}")
        return text.strip()

    def ask(self, text, seconds=60):
        """Its answer to a line."""
        self.process.stdin.write(f"{text}\n".encode())
        self.process.stdin.flush()
        return self.line(seconds)

    @property
    def pid(self):
        return self.process.pid

    def cpu(self):
        """Seconds of processor time so far, of all its threads, those that have ended included."""
        return time.clock_gettime((~self.pid << 3) | 2)

    def memory(self):
        """Resident bytes that are its own: no files, nothing of the kernel's."""
        for row in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if row.startswith("RssAnon:"):
                return int(row.split()[1]) * 1024
        return 0

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def threads(self):
        return len(os.listdir(f"/proc/{self.pid}/task"))

    def allocations(self):
        """How many allocations it has made so far."""
        with open(self.counter.name, "rb") as file:
            return struct.unpack("QQ", file.read(16))[0]
