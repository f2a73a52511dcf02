import { isVersionsReply, versionsRequest } from '../../../../connections/port-protocol.ts';
import type { DurationMs } from '../../../../vocabulary/events.ts';
import { exchange, NotKafka } from './connection.ts';
import type { KafkaConnection } from './kafka-settings.ts';

export interface VersionRange {
  readonly least: number;
  readonly most: number;
}

/** Versions by number of the request: kafka.apache.org/protocol#protocol_api_keys. */
export type ApiVersions = ReadonlyMap<number, VersionRange>;

interface ClientApi {
  readonly name: string;
  readonly key: number;
  /** The versions that kafkajs 2.2.4 supports. */
  readonly client: VersionRange;
}

/** The requests that a worker needs. */
export const CLIENT_APIS: readonly ClientApi[] = [
  api('Produce', 0, 0, 7),
  api('Fetch', 1, 0, 11),
  api('ListOffsets', 2, 0, 3),
  api('Metadata', 3, 0, 6),
  api('OffsetCommit', 8, 0, 5),
  api('OffsetFetch', 9, 1, 4),
  api('FindCoordinator', 10, 0, 2),
  api('JoinGroup', 11, 0, 5),
  api('Heartbeat', 12, 0, 3),
  api('LeaveGroup', 13, 0, 3),
  api('SyncGroup', 14, 0, 3),
];

function api(name: string, key: number, least: number, most: number): ClientApi {
  return { name, key, client: { least, most } };
}

const METADATA = 3;

/** Whether these are the versions of a broker's listener. The listener of a KRaft controller lacks the request that clients send first. */
export function isBroker(versions: ApiVersions): boolean {
  return versions.has(METADATA);
}

/** Whether there is a version that both support. */
export function overlaps(a: VersionRange, b: VersionRange): boolean {
  return a.least <= b.most && b.least <= a.most;
}

/**
 * Asks one broker which versions it supports. The request is built here, because the client does not pass on the response and ignores the
 * lowest version. Rejects if no readable response arrives in time.
 */
export async function apiVersions(
  broker: string,
  connection: Pick<KafkaConnection, 'tls'>,
  timeout: DurationMs,
): Promise<ApiVersions> {
  const [answer] = await exchange(broker, connection, [versionsRequest()], timeout);
  return rangesOf(answer);
}

/**
 * The versions in a response to `versionsRequest`.
 * @throws Error if it is no response of Kafka
 */
export function rangesOf(bytes: Buffer): ApiVersions {
  const count = bytes.length >= 14 && isVersionsReply(bytes) ? bytes.readInt32BE(10) : -1;
  if (count < 0 || bytes.length < 14 + 6 * count) throw new NotKafka();
  const error = bytes.readInt16BE(8);
  if (error !== 0) throw new Error(`the broker refused to report its versions (error ${error})`);
  return new Map(
    Array.from({ length: count }, (_, i) => {
      const at = 14 + 6 * i;
      return [bytes.readInt16BE(at), { least: bytes.readInt16BE(at + 2), most: bytes.readInt16BE(at + 4) }] as const;
    }),
  );
}
