/**
 * The tables of the board are append-only: a released step is never edited, since boards of every release since 0.1.0,
 * which had the first four, are brought up A new column needs a default, or the step fills it.
 *
 * `post_content` holds what the publisher wrote, `post` what the board decides: text is written once, counters and states
 * change often, and a removal deletes the text and keeps the rest.
 */
export const STORE_MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE publisher (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    description TEXT,
    url TEXT,
    domain TEXT,
    verify_token TEXT,
    verified_at INTEGER,
    verified_via TEXT,
    checked_at INTEGER,
    suspended_at INTEGER,
    key_hash TEXT NOT NULL UNIQUE,
    post_count INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    erasing INTEGER NOT NULL DEFAULT 0,
    inbox_no INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX publisher_check ON publisher (coalesce(checked_at, 0), seq) WHERE verified_at IS NOT NULL;
  CREATE INDEX publisher_erasing ON publisher (seq) WHERE erasing = 1;

  CREATE TABLE post (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    publisher_id TEXT NOT NULL REFERENCES publisher (id),
    parent_id TEXT,
    kind TEXT NOT NULL,
    starts_at INTEGER,
    ends_at INTEGER,
    expires_at INTEGER NOT NULL,
    expiry_chosen INTEGER NOT NULL,
    syndicated INTEGER NOT NULL,
    reply_count INTEGER NOT NULL,
    last_reply_at INTEGER,
    flags TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    input_hash TEXT NOT NULL,
    idempotency_hash TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('active', 'hidden', 'removed')),
    removed_at INTEGER,
    vector_model TEXT
  ) STRICT;
  CREATE INDEX post_reply ON post (parent_id, state, created_at, id) WHERE parent_id IS NOT NULL;
  CREATE INDEX post_shown ON post (publisher_id, state, created_at, id);
  CREATE INDEX post_fingerprint ON post (publisher_id, created_at, id, fingerprint);
  CREATE INDEX post_live ON post (expires_at, kind, syndicated) WHERE state <> 'removed';
  CREATE INDEX post_removed ON post (removed_at) WHERE state = 'removed';
  CREATE INDEX post_created ON post (created_at, publisher_id);
  CREATE INDEX post_vector_model ON post (vector_model) WHERE state = 'active';
  CREATE INDEX post_replier ON post (parent_id, state, publisher_id) WHERE parent_id IS NOT NULL;
  CREATE UNIQUE INDEX post_idempotency ON post (publisher_id, idempotency_hash) WHERE idempotency_hash IS NOT NULL;
  CREATE INDEX post_cancelled ON post (removed_at DESC, id) WHERE state = 'removed' AND starts_at IS NOT NULL;

  CREATE TABLE post_content (
    post INTEGER PRIMARY KEY REFERENCES post (seq) ON DELETE CASCADE,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    link TEXT,
    tags TEXT NOT NULL,
    location TEXT,
    timezone TEXT,
    source_url TEXT,
    metadata TEXT NOT NULL
  ) STRICT;
  CREATE TABLE post_vector (
    post INTEGER PRIMARY KEY REFERENCES post (seq) ON DELETE CASCADE,
    model TEXT NOT NULL,
    vector BLOB NOT NULL
  ) STRICT;
  CREATE TABLE post_retrievals (
    post INTEGER PRIMARY KEY REFERENCES post (seq) ON DELETE CASCADE,
    n INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE subscription (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    publisher_id TEXT NOT NULL REFERENCES publisher (id),
    label TEXT,
    query TEXT NOT NULL,
    vector BLOB,
    vector_model TEXT,
    background TEXT,
    webhook_url TEXT,
    webhook_origin TEXT,
    webhook_verified_at INTEGER,
    secret_version INTEGER NOT NULL,
    previous_secret_until INTEGER,
    active INTEGER NOT NULL,
    inactive_reason TEXT,
    failures INTEGER NOT NULL,
    failing_since INTEGER,
    last_matched_at INTEGER,
    created_at INTEGER NOT NULL,
    next_delivery INTEGER NOT NULL DEFAULT 1
  ) STRICT;
  CREATE INDEX subscription_owner ON subscription (publisher_id, created_at, seq);
  CREATE INDEX subscription_active ON subscription (publisher_id) WHERE active = 1;
  CREATE TABLE subscription_change (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    subscription_id TEXT NOT NULL UNIQUE,
    gone INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX subscription_gone ON subscription_change (no) WHERE gone = 1;
  CREATE TABLE subscription_purge (subscription INTEGER PRIMARY KEY) STRICT;

  CREATE TABLE delivery (
    subscription INTEGER NOT NULL,
    post INTEGER NOT NULL REFERENCES post (seq) ON DELETE CASCADE,
    delivery_id INTEGER NOT NULL,
    matched_at INTEGER,
    PRIMARY KEY (subscription, post)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX delivery_pending ON delivery (subscription, delivery_id, matched_at) WHERE matched_at IS NOT NULL;
  CREATE INDEX delivery_post ON delivery (post);
  CREATE INDEX delivery_age ON delivery (matched_at) WHERE matched_at IS NOT NULL;

  CREATE TABLE report (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    post INTEGER NOT NULL REFERENCES post (seq) ON DELETE CASCADE,
    reporter TEXT NOT NULL,
    addresses TEXT NOT NULL,
    reason TEXT NOT NULL,
    details TEXT,
    created_at INTEGER NOT NULL,
    UNIQUE (post, reporter)
  ) STRICT;
  CREATE INDEX report_reporter ON report (reporter);
  CREATE TABLE moderation (
    seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    actor TEXT NOT NULL,
    reason TEXT NOT NULL
  ) STRICT;
  CREATE INDEX moderation_subject ON moderation (subject, seq);

  CREATE TABLE work (
    post INTEGER NOT NULL REFERENCES post (seq) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    due_at INTEGER NOT NULL,
    token TEXT,
    attempts INTEGER NOT NULL,
    PRIMARY KEY (post, kind)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX work_due ON work (kind, due_at);

  CREATE TABLE counter (
    day TEXT NOT NULL,
    name TEXT NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY (day, name)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE lease (name TEXT PRIMARY KEY, owner TEXT NOT NULL, ends_at INTEGER NOT NULL, fence INTEGER NOT NULL)
    STRICT, WITHOUT ROWID;

  -- The outbox. 'history': JSON, oldest first. 'origin' and 'failing': of a waiting push, as of its subscription.
  CREATE TABLE push (
    subscription INTEGER NOT NULL,
    delivery_id INTEGER NOT NULL,
    post_id TEXT NOT NULL,
    matched_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed', 'cancelled')),
    due_at INTEGER CHECK ((due_at IS NOT NULL) = (state = 'waiting')),
    attempts INTEGER NOT NULL,
    token TEXT,
    again_at INTEGER,
    history TEXT NOT NULL DEFAULT '[]',
    origin TEXT,
    failing INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (subscription, delivery_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX push_due ON push (failing, due_at, delivery_id, subscription, origin)
    WHERE state = 'waiting' AND origin IS NOT NULL;
  CREATE INDEX push_waiting ON push (subscription) WHERE state = 'waiting';
  CREATE INDEX push_age ON push (matched_at);

  CREATE TABLE inbox (
    publisher INTEGER NOT NULL REFERENCES publisher (seq),
    no INTEGER NOT NULL,
    type TEXT NOT NULL,
    at INTEGER NOT NULL,
    post INTEGER NOT NULL REFERENCES post (seq) ON DELETE CASCADE,
    subscription INTEGER,
    delivery_id INTEGER,
    PRIMARY KEY (publisher, no)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX inbox_post ON inbox (post);
  CREATE INDEX inbox_subscription ON inbox (subscription) WHERE subscription IS NOT NULL;
  CREATE INDEX inbox_age ON inbox (at);
  `,
  `
  CREATE TABLE sign_in (
    id TEXT PRIMARY KEY,
    grant_id TEXT,
    publisher_id TEXT,
    payload TEXT NOT NULL,
    consumed_at INTEGER,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sign_in_grant ON sign_in (grant_id) WHERE grant_id IS NOT NULL;
  CREATE INDEX sign_in_publisher ON sign_in (publisher_id) WHERE publisher_id IS NOT NULL;
  CREATE INDEX sign_in_end ON sign_in (expires_at);
  `,
  // The first release drops two tables that no board of a release has.
  "DROP TABLE IF EXISTS post_tag",
  "DROP TABLE IF EXISTS reported_post",
  // What is there keeps its order by time, below all numbers of changes: see `numberByTime`.
  `
  ALTER TABLE post ADD COLUMN written_no INTEGER NOT NULL DEFAULT 0;
  UPDATE post SET written_no = created_at - 8640000000000000;
  ALTER TABLE subscription ADD COLUMN saved_no INTEGER NOT NULL DEFAULT 0;
  UPDATE subscription SET saved_no = created_at - 8640000000000000;
  `,
  "ALTER TABLE subscription ADD COLUMN webhook_refusal TEXT",
  "ALTER TABLE subscription ADD COLUMN breadth TEXT NOT NULL DEFAULT 'close'",
  // The index has the hosts that are signed in as a publisher: what was used, however much, is not in it.
  `CREATE INDEX sign_in_host ON sign_in (publisher_id, expires_at DESC, id)
    WHERE consumed_at IS NULL AND id > 'RefreshToken:' AND id < 'RefreshToken;'`,
  // A series has dates that a subscription knows of until then.
  `
  CREATE TABLE told_series (
    subscription INTEGER NOT NULL,
    series TEXT NOT NULL,
    ends_at INTEGER NOT NULL,
    PRIMARY KEY (subscription, series)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX told_series_end ON told_series (ends_at);
  `,
  "ALTER TABLE publisher ADD COLUMN recovery TEXT",
  `
  ALTER TABLE subscription ADD COLUMN event TEXT;
  ALTER TABLE subscription ADD COLUMN expires_at INTEGER;
  ALTER TABLE subscription ADD COLUMN client_secret TEXT;
  ALTER TABLE subscription ADD COLUMN previous_client_secret TEXT;
  CREATE INDEX subscription_end ON subscription (expires_at) WHERE expires_at IS NOT NULL;
  `,
  // The operator looks through publishers by the time of their registration, and through what is hidden.
  `
  CREATE INDEX publisher_created ON publisher (created_at, id);
  CREATE INDEX post_hidden ON post (created_at, id) WHERE state = 'hidden';
  `,
  "CREATE INDEX publisher_name ON publisher (name COLLATE NOCASE)",
  "CREATE INDEX subscription_failing ON subscription (failing_since) WHERE failing_since IS NOT NULL",
  // Who was told of a post hears this when it moves, ends early or is taken down.
  `
  ALTER TABLE post ADD COLUMN change TEXT;
  ALTER TABLE delivery ADD COLUMN change TEXT;
  ALTER TABLE inbox ADD COLUMN change TEXT;
  ALTER TABLE subscription ADD COLUMN changes INTEGER NOT NULL DEFAULT 1;
  `,
];
