"""Harnesses: ways to reach an agent.

Each is a module like its twins: `CAPABILITIES`, `SPEECH`, and two pure functions, `command_line(task, prompt_path)` and
`read_report(line)`.  None of them starts anything; `sessions` does, through the spawner.
"""
