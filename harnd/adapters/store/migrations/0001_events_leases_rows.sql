-- Everything that happened, in order.  `seq` has no gaps: the store numbers events itself.
CREATE TABLE events (
    seq     INTEGER PRIMARY KEY,
    stream  TEXT    NOT NULL,
    version INTEGER NOT NULL CHECK (version > 0),
    at      INTEGER NOT NULL,
    tag     TEXT    NOT NULL,
    body    TEXT    NOT NULL,
    chain   BLOB    NOT NULL CHECK (length(chain) = 32),
    UNIQUE (stream, version)
) STRICT;

-- The events of one goal past a sequence: every index ends in the rowid, which is `seq`.
CREATE INDEX events_of_stream ON events (stream);

CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
BEGIN
    SELECT RAISE(ABORT, 'events are never changed');
END;

CREATE TRIGGER events_are_never_removed BEFORE DELETE ON events
BEGIN
    SELECT RAISE(ABORT, 'events are never removed');
END;

-- A row stays when its lease is given back: the next fence is counted from it.
CREATE TABLE leases (
    stream     TEXT    PRIMARY KEY,
    holder     TEXT,
    fence      INTEGER NOT NULL CHECK (fence > 0),
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Read models, written in the transaction of the events they follow from.
CREATE TABLE goals (
    goal        TEXT    PRIMARY KEY,
    title       TEXT    NOT NULL,
    phase       TEXT    NOT NULL,
    next_action TEXT    NOT NULL,
    reason      TEXT    NOT NULL,
    since       INTEGER NOT NULL,
    due         INTEGER NOT NULL CHECK (due IN (0, 1)),
    wake_at     INTEGER,
    version     INTEGER NOT NULL,
    parked      TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX goals_due ON goals (goal) WHERE due = 1 AND parked IS NULL;

CREATE INDEX goals_wakes ON goals (wake_at, goal) WHERE wake_at IS NOT NULL AND parked IS NULL;

CREATE TABLE inbox (
    goal     TEXT    NOT NULL REFERENCES goals (goal),
    position INTEGER NOT NULL,
    kind     TEXT    NOT NULL,
    subject  TEXT    NOT NULL,
    summary  TEXT    NOT NULL,
    since    INTEGER NOT NULL,
    digest   TEXT,
    PRIMARY KEY (goal, position)
) STRICT, WITHOUT ROWID;

-- Answers to requests, for ever.
CREATE TABLE answers (
    key     TEXT PRIMARY KEY,
    payload TEXT NOT NULL,
    answer  BLOB NOT NULL
) STRICT, WITHOUT ROWID;
