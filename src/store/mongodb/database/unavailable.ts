import {
  MongoBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
} from "mongodb";
import { StoreUnavailable } from "../../../ports/store/index.ts";

/** Turns errors that mean "not now" into `StoreUnavailable`; our own errors and those of the query stay as they are. */
export async function unavailable<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (thrown) {
    const error = behindBulk(thrown);
    if (!(error instanceof MongoError)) throw thrown;
    if (error.hasErrorLabel("TransientTransactionError")) {
      throw new StoreUnavailable(CONTENDED, { cause: error });
    }
    if (error instanceof MongoServerError) {
      const code = Number(error.code);
      if (!UNAVAILABLE.has(code)) throw thrown;
      const why =
        code === ATLAS && error.hasErrorLabel(HANDSHAKE)
          ? `the database of STORE_URL ${REFUSED}`
          : `the database cannot do this now (error ${code})`;
      throw new StoreUnavailable(why, { cause: error });
    }
    // These are the driver's errors of network, selection, pool and closed client; their messages may name hosts.
    if (!isConnectionError(error)) throw thrown;
    throw new StoreUnavailable(
      "the database of STORE_URL does not answer: look at its address, the firewall, TLS, and whether it has a primary",
      { cause: error },
    );
  }
}

/** Says what the operator can do about a database that does not know its user. */
export const REFUSED =
  "refuses this user: look at name, password, authSource and roles (readWrite and dbAdmin on its database)";
/** Atlas has one code for many errors. While a connection is made, it stands for a wrong name or password. */
const ATLAS = 8000;
const HANDSHAKE = "HandshakeError";

export const CONTENDED = "others were writing the same for too long";

/** Finds the error that ended a bulk write; the bulk's own error has another class and not always its code. */
export function behindBulk(error: unknown): unknown {
  if (!(error instanceof MongoBulkWriteError)) return error;
  return error.errorResponse instanceof MongoError ? error.errorResponse : error;
}

/** Tells that the database has no snapshot of the moment asked for, as when a collection was made or moved a moment ago. */
export const NO_SNAPSHOT: ReadonlySet<unknown> = new Set([
  239, // SnapshotTooOld
  246, // SnapshotUnavailable
  250, // StaleChunkHistory
]);

/** These error codes concern the server's state, not the query. */
const UNAVAILABLE: ReadonlySet<unknown> = new Set([
  ...NO_SNAPSHOT,
  6, // HostUnreachable
  7, // HostNotFound
  24, // LockTimeout
  43, // CursorNotFound, after a restart
  50, // MaxTimeMSExpired
  64, // WriteConcernTimeout
  89, // NetworkTimeout
  91, // ShutdownInProgress
  112, // WriteConflict, for longer than our patience
  133, // FailedToSatisfyReadPreference
  134, // ReadConcernMajorityNotAvailableYet
  175, // QueryPlanKilled
  189, // PrimarySteppedDown
  202, // NetworkInterfaceExceededTimeLimit
  237, // CursorKilled
  251, // NoSuchTransaction
  262, // ExceededTimeLimit
  290, // TransactionExceededLifetimeLimitSeconds
  365, // TemporarilyUnavailable, under load
  462, // IngressRequestRateLimitExceeded
  10107, // NotWritablePrimary
  11600, // InterruptedAtShutdown
  11601, // Interrupted, by an operator
  11602, // InterruptedDueToReplStateChange
  13435, // NotPrimaryNoSecondaryOk
  13436, // NotPrimaryOrSecondary
  ATLAS, // over quota, or a refused command
  9001, // SocketException
  14031, // OutOfDiskSpace
]);

/**
 * It goes by its class, or by its name where the driver does not export one: a lost or missing server, a pool that is full
 * or closed.
 */
function isConnectionError(error: MongoError): boolean {
  return (
    error instanceof MongoNetworkError ||
    error instanceof MongoServerSelectionError ||
    CONNECTION_ERRORS.has(error.name)
  );
}

const CONNECTION_ERRORS: ReadonlySet<string> = new Set([
  "MongoClientClosedError",
  "MongoExpiredSessionError",
  "MongoNotConnectedError",
  "MongoOperationTimeoutError",
  "MongoPoolClosedError",
  "MongoServerClosedError",
  "MongoTopologyClosedError",
  "MongoWaitQueueTimeoutError",
]);
