"""Kernels for checking chapters, which start at once: forks of one that is ready.

A new kernel takes three to five seconds of processor time to import torch and
matplotlib, and the book has over thirty notebooks. Here one process imports them, and
each notebook gets a fork of it, where nothing has been run yet.
"""

import multiprocessing
import os
import sys
from collections.abc import Mapping
from importlib.metadata import EntryPoint
from typing import Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner

# What lies outside the book's package, which must see that a kernel imports it.
# (Making an optimiser imports torch._dynamo.)
IMPORTED = ["ipykernel.kernelapp", "matplotlib.pyplot", "torch", "torch._dynamo"]


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


def run_kernel(arguments: list[str], folder: str | None, env: Mapping[str, str]) -> None:
    """Be a kernel until it is told to end; what it says beside its messages is lost."""
    import matplotlib
    from ipykernel.kernelapp import IPKernelApp

    os.setsid()
    os.chdir(folder or ".")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    os.environ.update(env)
    os.environ["JPY_PARENT_PID"] = str(os.getppid())  # it ends when that one is gone
    # As in a notebook: a kernel asks for it before matplotlib is imported.
    matplotlib.use("module://matplotlib_inline.backend_inline")
    IPKernelApp.launch_instance(argv=arguments)


class ForkedProcess:
    """A forked kernel, with what Jupyter asks of a `subprocess.Popen`."""

    stdin = stdout = stderr = None

    def __init__(self, *args: object) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(IMPORTED)
        self.process = context.Process(target=run_kernel, args=args, daemon=False)
        self.process.start()
        self.pid = self.process.pid

    def poll(self) -> int | None:
        return self.process.exitcode

    def wait(self) -> int | None:
        self.process.join()
        return self.process.exitcode

    def send_signal(self, signum: int) -> None:
        if self.process.is_alive():
            os.kill(self.pid, signum)


class ForkedProvisioner(LocalProvisioner):
    """Starts kernels as forks of a process that has imported what they need."""

    async def launch_kernel(
        self, cmd: list[str], **given: Any
    ) -> KernelConnectionInfo:
        arguments = cmd[cmd.index("-f") :]
        self.process = ForkedProcess(arguments, given.get("cwd"), given.get("env", {}))
        self.pid = self.process.pid
        self.cwd = given.get("cwd")
        return self.connection_info
