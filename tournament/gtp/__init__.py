"""A network as a GTP 2 engine, for Go programs such as Sabaki and GoGui (docs/student/play.md)."""
