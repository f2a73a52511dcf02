import { CLUSTER_ROWS, DISK_ROWS, NETWORK_ROWS, PROCESS_ROWS, UPGRADE_ROWS, WORKER_ROWS } from './kafka-rows.ts';
import {
  CLOCK_ROWS,
  FILE_ROWS,
  NAME_ROWS,
  REDIS_CLUSTER_ROWS,
  SENTINEL_ROWS,
  SERVER_ROWS,
  SNAPSHOT_ROWS,
  SYNCED_ROWS,
} from './redis-rows.ts';
import type { Group, Row } from './rows.ts';

const THREE = { brokers: 3, redis: 'server', network: true } as const;
const ONE = { brokers: 1, redis: 'server', network: false } as const;

/** The same rows with other servers. */
function onOthers(rows: readonly Row[], name: string): readonly Row[] {
  return rows.map((row) => ({ ...row, id: `${row.id}-${name}` }));
}

/** All rows that are run, by the servers that they share. */
export const GROUPS: readonly Group[] = [
  {
    name: 'brokers',
    servers: 'three brokers, Redis',
    world: THREE,
    rows: [...WORKER_ROWS, ...CLUSTER_ROWS, ...NETWORK_ROWS],
  },
  {
    name: 'brokers-3.9',
    servers: 'three brokers of Kafka 3.9, Redis',
    world: { ...THREE, network: false, kafka: '3.9.2' },
    rows: onOthers(CLUSTER_ROWS, '3.9'),
  },
  { name: 'redis', servers: 'a broker, Redis', world: ONE, rows: SERVER_ROWS },
  {
    name: 'redis-8',
    servers: 'a broker, Redis 8.0',
    world: { ...ONE, redisRelease: 'redis-8.0' },
    rows: onOthers(SERVER_ROWS, 'redis-8'),
  },
  {
    name: 'valkey',
    servers: 'a broker, Valkey 8.1',
    world: { ...ONE, redisRelease: 'valkey-8.1' },
    rows: onOthers(SERVER_ROWS, 'valkey'),
  },
  {
    name: 'name',
    servers: 'a broker, Redis with two addresses',
    world: { brokers: 1, redis: 'server', network: true, byName: true, redisConfig: { bind: '0.0.0.0' } },
    rows: NAME_ROWS,
  },
  {
    name: 'sentinel',
    servers: 'a broker, Redis with a replica and three sentinels',
    world: { brokers: 1, redis: 'sentinel', network: true },
    rows: SENTINEL_ROWS,
  },
  {
    name: 'cluster',
    servers: 'a broker, Redis Cluster of three primaries and three replicas',
    world: { brokers: 1, redis: 'cluster', network: false },
    rows: REDIS_CLUSTER_ROWS,
  },
  {
    name: 'files',
    servers: 'a broker, Redis on a small disk',
    world: { ...ONE, redisConfig: { appendfsync: 'everysec' }, smallDisk: { of: 'redis', megabytes: 400 } },
    rows: FILE_ROWS,
  },
  {
    name: 'synced',
    servers: 'a broker, Redis on a small disk',
    world: { ...ONE, smallDisk: { of: 'redis', megabytes: 400 } },
    rows: SYNCED_ROWS,
  },
  {
    name: 'snapshots',
    servers: 'a broker, Redis without an append-only file',
    world: { ...ONE, redisConfig: { appendonly: 'no' } },
    rows: SNAPSHOT_ROWS,
  },
  {
    name: 'broker-disk',
    servers: 'three brokers, one of them on a small disk, Redis',
    world: { ...THREE, network: false, smallDisk: { of: 'broker 1', megabytes: 400 } },
    rows: DISK_ROWS,
  },
  { name: 'processes', servers: 'a broker, Redis', world: { ...ONE, blockable: true }, rows: PROCESS_ROWS },
  { name: 'clock', servers: 'a broker, Redis', world: { ...ONE, ownClock: true }, rows: CLOCK_ROWS },
  {
    name: 'upgrade',
    servers: 'three brokers, Redis',
    world: { ...THREE, network: false, kafka: '3.9.2' },
    rows: UPGRADE_ROWS,
  },
];
