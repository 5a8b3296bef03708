# For the jobs in this folder: `again COMMAND` runs a command that continues where it was stopped.
# Slurm warns it (SIGTERM) when the job's time is almost over, or when another job needs its place.
# Then the command stops at a safe point, and the job goes back into the queue.
STOPPED=143  # 128 + SIGTERM
again() {
    local code=0
    srun --ntasks=1 --cpus-per-task="$SLURM_CPUS_PER_TASK" "$@" || code=$?
    if [ "$code" -eq "$STOPPED" ]; then
        scontrol requeue "$SLURM_JOB_ID"
    fi
    exit "$code"
}
