"""A child process that misbehaves as it is told: `python -m tests.platform.stubborn_child WAY`."""

import os
import signal
import subprocess
import sys
import time

from core.platform.processes.isolated_process import die_with_parent, limit_process, open_channel, tell


def main(way: str, *_: str) -> None:
    channel = open_channel()
    print("noise that must not reach the parent")
    if way == "keys":
        tell(channel, names=sorted(os.environ))
    elif way == "crash":
        os.abort()
    elif way == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    elif way == "garbage":
        channel.write("not json\n")
        channel.flush()
    elif way == "hoard":
        limit_process(500_000_000, 60)
        try:
            bytearray(2_000_000_000)
        except MemoryError:
            tell(channel, refused=True)
    elif way == "loop":
        limit_process(500_000_000, 1)
        while True:
            pass
    elif way == "linger":
        die_with_parent()
        grandchild = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        tell(channel, pids=[os.getpid(), grandchild.pid])
        time.sleep(600)
    elif way == "parent":
        from core.platform.processes.isolated_process import Isolated

        message = Isolated("tests.platform.stubborn_child", ["linger"]).receive(30)
        tell(channel, **(message or {}))
        time.sleep(600)


if __name__ == "__main__":
    main(*sys.argv[1:])
