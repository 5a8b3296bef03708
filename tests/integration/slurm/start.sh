#!/bin/bash
# A Slurm of one node, on this machine: start.sh FOLDER CTLD_PORT SLURMD_PORT. Needs root, and apt install slurm-wlm.
# The folder gets slurm.conf, for the variable SLURM_CONF, the logs, and pids, a line for each process.
set -euo pipefail
folder=$(realpath "$1")
mkdir -p "$folder/state" "$folder/spool"
chmod 755 "$folder"
head -c 1024 /dev/urandom > "$folder/munge.key"
chmod 400 "$folder/munge.key"
cat > "$folder/slurm.conf" <<EOF
ClusterName=kit
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$2
SlurmdPort=$3
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
SlurmUser=root
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SchedulerParameters=sched_interval=5,bf_interval=5
KillWait=20
ReturnToService=2
NodeName=$(hostname -s) NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=low Nodes=ALL Default=YES MaxTime=INFINITE State=UP PriorityTier=1 GraceTime=30
PartitionName=high Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=10
EOF
export SLURM_CONF=$folder/slurm.conf
begin() {  # a daemon in the foreground, so that its process is known
    "$@" > /dev/null 2>> "$folder/errors.log" &
    echo $! >> "$folder/pids"
}
begin munged --foreground --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
    --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" --seed-file="$folder/munged.seed"
for _ in $(seq 100); do [ -S "$folder/munge.socket" ] && break; sleep 0.1; done
begin slurmctld -D
begin slurmd -D
for _ in $(seq 300); do
    if sinfo --noheader --format %t 2>> "$folder/errors.log" | grep -q idle; then exit 0; fi
    sleep 0.2
done
echo "Slurm did not start: see $folder" >&2
exit 1
