"""Sphinx extension: kernels start at once, as forks of a process that is ready.

A new kernel spends three to five seconds of processor time on importing torch and
matplotlib. A build starts five, for pages of Markdown with cells, and a check of the
notebooks over thirty (`book/conftest.py`). Here a *nursery* imports them once, and each
kernel is a fork of it, in which nothing has been run yet.
"""

import json
import os
import signal
import subprocess
import sys
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint
from typing import IO, Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner
from sphinx.application import Sphinx

# An optimiser imports torch._dynamo. Of the book's package nothing: it looks, as it is
# imported, whether it is in a notebook.
IMPORTED = ("ipykernel.kernelapp", "matplotlib.pyplot", "torch", "torch._dynamo")


def use_forked_kernels() -> None:
    """Have Jupyter fork the kernels that this process starts, where a system can.

    Forks are safe on Linux alone: macOS's own libraries may stop in them.
    """
    if sys.platform != "linux":
        return
    group = KernelProvisionerFactory.GROUP_NAME
    entry = EntryPoint("forked", f"{__name__}:ForkedProvisioner", group)
    KernelProvisionerFactory.provisioners["forked"] = entry
    KernelProvisionerFactory.instance().default_provisioner_name = "forked"


def setup(app: Sphinx) -> dict[str, bool]:
    use_forked_kernels()
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class ForkedProvisioner(LocalProvisioner):
    """Starts kernels as forks of the nursery."""

    process: Any = None

    async def launch_kernel(self, cmd: list[str], **given: Any) -> KernelConnectionInfo:
        """Start a kernel, as `LocalProvisioner` does."""
        self.cwd = str(given.get("cwd") or ".")
        self.process = ForkedProcess(
            {
                "arguments": cmd[cmd.index("-f") :],
                "folder": self.cwd,
                "env": dict(given.get("env") or os.environ),
            }
        )
        self.pid = self.process.pid
        return self.connection_info


class ForkedProcess:
    """A kernel, with what Jupyter asks of a `subprocess.Popen`."""

    stdin = stdout = stderr = None

    def __init__(self, wanted: dict[str, object]) -> None:
        orders, born = nursery()
        print(json.dumps(wanted), file=orders, flush=True)
        answer = born.readline()
        if not answer:
            raise RuntimeError("no kernel: the process that forks them has ended")
        self.pid = int(answer)

    def poll(self) -> int | None:
        """None while it runs."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return 0
        return None

    def wait(self) -> int | None:
        """What Jupyter asks for once it has ended."""
        return self.poll()

    def send_signal(self, signum: int) -> None:
        """Send a signal if there is still somebody to get it."""
        if self.poll() is None:
            os.kill(self.pid, signum)


@cache
def nursery() -> tuple[IO[str], IO[str]]:
    """Start the process that forks: where to write to it, and where it answers.

    It ends when this process has.
    """
    server = subprocess.Popen(
        [sys.executable, __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    assert server.stdin and server.stdout
    return server.stdin, server.stdout


def serve() -> None:
    """Import what kernels need, then fork one for each line that comes in."""
    for name in IMPORTED:
        import_module(name)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who started this
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # kernels that end leave nothing
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            run_kernel(**json.loads(line))
        print(pid, flush=True)


def run_kernel(arguments: list[str], folder: str, env: dict[str, str]) -> None:
    """Be a kernel until it is told to end; what it says beside its messages is lost."""
    import matplotlib
    from ipykernel.kernelapp import IPKernelApp

    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    os.chdir(folder)
    # Without the directory of this file, which a script has and a notebook has not.
    sys.path[0] = ""
    os.environ.clear()
    os.environ.update(env)
    os.environ["JPY_PARENT_PID"] = str(os.getppid())  # it ends when that one is gone
    # A kernel asks for it before matplotlib is imported.
    matplotlib.use("module://matplotlib_inline.backend_inline")
    IPKernelApp.launch_instance(argv=arguments)
    os._exit(0)


if __name__ == "__main__":
    serve()
