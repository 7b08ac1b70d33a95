"""Kernels for notebooks that need not import torch once more.

Notebooks take some four seconds of processor time each before their first line, most of
it to import torch and matplotlib. Here a kernel is the fork of a process that has done
so and nothing else. Each notebook still has a process, and names, of its own.
"""

import multiprocessing
import os
import signal
import sys
from contextlib import suppress
from importlib.metadata import EntryPoint
from multiprocessing.process import BaseProcess
from threading import Thread
from typing import Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner

IMPORTED = ["torch", "matplotlib.pyplot", "ipykernel.kernelapp"]
INLINE = "module://matplotlib_inline.backend_inline"


class ForkedKernel(LocalProvisioner):
    """A kernel that is forked, where `LocalProvisioner` starts a new Python."""

    forked: BaseProcess | None = None

    @property
    def has_process(self) -> bool:
        return self.forked is not None

    async def launch_kernel(
        self, cmd: list[str], **kwargs: Any
    ) -> KernelConnectionInfo:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(IMPORTED)
        options = cmd[cmd.index("-f") :]
        self.forked = context.Process(
            target=run_kernel, args=(options, kwargs.get("cwd", "."), kwargs["env"])
        )
        self.forked.start()
        return self.connection_info

    async def poll(self) -> int | None:
        return self.forked.exitcode if self.forked else 0

    async def wait(self) -> int | None:
        if self.forked is None:
            return 0
        self.forked.join()
        code, self.forked = self.forked.exitcode, None
        return code

    async def send_signal(self, signum: int) -> None:
        if self.forked and self.forked.pid:
            with suppress(ProcessLookupError):  # it may have ended
                os.kill(self.forked.pid, signum)

    async def kill(self, restart: bool = False) -> None:
        await self.send_signal(signal.SIGKILL)

    async def terminate(self, restart: bool = False) -> None:
        await self.send_signal(signal.SIGTERM)


def run_kernel(options: list[str], folder: str, env: dict[str, str]) -> None:
    """Be a kernel with these options: what `python -m ipykernel_launcher` does."""
    import matplotlib
    from ipykernel import kernelapp

    os.chdir(folder)
    os.environ.update(env)
    matplotlib.rcParams["backend"] = INLINE  # as the variable MPLBACKEND would have set
    Thread(target=end_with_parent, daemon=True).start()
    # What knows of a parent does not explain on the console how to connect to it.
    parent = f"--IPKernelApp.parent_handle={os.getppid()}"
    kernelapp.launch_new_instance(argv=[*options, parent])


def end_with_parent() -> None:
    """End this kernel once the process that asked for it has gone."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def use_forked_kernels() -> None:
    """Have every kernel that this process starts forked, if it runs under Linux.

    Elsewhere a process that has imported much may not be able to fork.
    """
    if sys.platform != "linux":
        return
    factory = KernelProvisionerFactory.instance()
    place = f"{__name__}:{ForkedKernel.__name__}"
    factory.provisioners["forked"] = EntryPoint("forked", place, factory.GROUP_NAME)
    factory.default_provisioner_name = "forked"
