-- Goals that a person put away for good; lists leave them out.
ALTER TABLE goals ADD COLUMN archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1));
