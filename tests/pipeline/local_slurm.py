# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""A Slurm of one node on this machine for as long as a test needs it: loopback only, all of it in one folder."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

DAEMONS = ("munged", "slurmctld", "slurmd")
SBIN = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])


def why_not():
    """Why there can be no Slurm here; empty where there can."""
    if os.geteuid() != 0:
        return "Slurm's daemons are started as root"
    missing = [name for name in (*DAEMONS, "sbatch", "squeue", "scontrol") if not shutil.which(name, path=SBIN)]
    if missing:
        return f"{', '.join(missing)} not installed (tools/setup.sh --check)"
    if not os.path.ismount("/sys/fs/cgroup"):
        return "slurmd does not start where nothing is mounted on /sys/fs/cgroup"
    try:
        socket.gethostbyname(socket.gethostname())
    except OSError:
        return "slurmctld does not find a machine whose own name means nothing to it"
    return ""


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


CONFIGURATION = """ClusterName=limber
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000,sched_interval=1
SlurmdParameters=config_overrides
SlurmdTimeout=300
ReturnToService=2
KillWait=2
MinJobAge=2
MaxArraySize={max_array_size}
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


class LocalSlurm:
    """with LocalSlurm(folder) as slurm: subprocess.run(["sbatch", ...], env=slurm.environment)"""

    def __init__(self, folder, cpus=2, max_array_size=1001):
        self.folder = pathlib.Path(folder).resolve()
        self.host = socket.gethostname().split(".")[0]
        self.running = {}
        self.folder.mkdir(mode=0o755, parents=True)
        for parent in (self.folder, *self.folder.parents[:-1]):
            if parent != pathlib.Path("/tmp") and parent.stat().st_uid == os.geteuid():
                parent.chmod(parent.stat().st_mode | 0o011)  # munge's socket must be reachable for everybody
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        (self.folder / "munge.key").write_bytes(os.urandom(128))
        (self.folder / "munge.key").chmod(0o600)
        self.ports = free_ports(2)
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            host=self.host, ports=self.ports, folder=self.folder, cpus=cpus, max_array_size=max_array_size))
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": SBIN}

    def __enter__(self):
        try:
            self.start("munged", "--foreground", "--force", f"--socket={self.folder}/munge.socket",
                       f"--key-file={self.folder}/munge.key", f"--pid-file={self.folder}/munged.pid",
                       f"--seed-file={self.folder}/munged.seed", f"--log-file={self.folder}/munged.log", "--num-threads=2")
            self.wait(lambda: (self.folder / "munge.socket").exists(), "munge's socket")
            self.start("slurmctld", "-D")
            self.start_slurmd()
            self.wait(lambda: "idle" in self.ask("sinfo", "--noheader", "--format=%T"), "an idle node")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        """Jobs first, then the daemons, the last one first; whoever does not go is killed."""
        if "slurmctld" in self.running:
            self.ask("scancel", "--me", "--signal=KILL")
            self.ask("scancel", "--me")
        for name in reversed(list(self.running)):
            process = self.running.pop(name)
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        # A step outlives its slurmd: those of this cluster alone, told by their environment.
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if str(self.folder).encode() in (process / "environ").read_bytes() and int(process.name) != os.getpid():
                    os.kill(int(process.name), signal.SIGKILL)
            except OSError:
                pass

    def start(self, name, *arguments):
        log = open(self.folder / f"{name}.txt", "ab")
        self.running[name] = subprocess.Popen([shutil.which(name, path=SBIN), *arguments], env=self.environment, cwd=self.folder,
                                              stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        log.close()

    def start_slurmd(self):
        self.start("slurmd", "-D")

    def kill_slurmd(self):
        process = self.running.pop("slurmd")
        process.kill()
        process.wait()

    def ask(self, *command):
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=60)
        return done.stdout

    def wait(self, condition, what, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            for name, process in self.running.items():
                if process.poll() is not None:
                    raise RuntimeError(f"{name} ended with {process.returncode}\n{self.words()}")
            if time.monotonic() > end:
                raise RuntimeError(f"no {what} after {seconds} s\n{self.words()}")
            time.sleep(0.1)

    def words(self):
        return "\n".join(f"{name}: {(self.folder / f'{name}.txt').read_text(errors='replace')[-2000:]}"
                         for name in DAEMONS if (self.folder / f"{name}.txt").exists())
