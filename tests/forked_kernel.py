"""Kernels for notebooks under nbval that need not import torch once more.

Notebooks take some four seconds of processor time each before their first line, most of
it to import torch and matplotlib. Here a kernel is the fork of a process that has done
so and nothing else. Each notebook still has a process, and names, of its own.
"""

import multiprocessing
import os
from contextlib import suppress
from importlib.metadata import EntryPoint
from threading import Thread
from typing import Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner

IMPORTED = ["torch", "matplotlib.pyplot", "ipykernel.kernelapp"]
INLINE = "module://matplotlib_inline.backend_inline"


class ForkedKernel(LocalProvisioner):
    """A kernel that is forked, where `LocalProvisioner` starts a new Python."""

    async def launch_kernel(
        self, cmd: list[str], **kwargs: Any
    ) -> KernelConnectionInfo:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(IMPORTED)
        options = cmd[cmd.index("-f") :]
        self.process = context.Process(
            target=run_kernel, args=(options, kwargs["cwd"], kwargs["env"])
        )
        self.process.start()
        self.pid = self.process.pid
        return self.connection_info

    async def poll(self) -> int | None:
        return self.process.exitcode if self.process else 0

    async def wait(self) -> int | None:
        code = None
        if self.process:
            self.process.join()
            code, self.process = self.process.exitcode, None
        return code

    async def send_signal(self, signum: int) -> None:
        with suppress(ProcessLookupError):  # it may have ended
            os.kill(self.pid, signum)


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
    """Have every kernel that this process starts forked."""
    factory = KernelProvisionerFactory.instance()
    place = f"{__name__}:{ForkedKernel.__name__}"
    factory.provisioners["forked"] = EntryPoint("forked", place, factory.GROUP_NAME)
    factory.default_provisioner_name = "forked"
