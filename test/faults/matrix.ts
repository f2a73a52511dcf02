/** The fault matrix: what may go wrong around a worker, and which tests let it. */
export interface Fault {
  readonly id: string;
  readonly fault: string;
  /** Folders and files below test/. */
  readonly tests: readonly string[];
  /** What no test does. */
  readonly missing?: string;
}

const SIMULATED = 'simulation';

export const MATRIX: readonly Fault[] = [
  { id: 'F01', fault: 'worker killed at random times', tests: ['proof', SIMULATED, 'faults'] },
  { id: 'F02', fault: 'crash at every wait, again during the recovery', tests: ['crash'] },
  { id: 'F03', fault: 'worker stopped in order under load', tests: ['worker/worker.test.ts', 'faults'] },
  { id: 'F04', fault: 'zombie: a worker that was stopped goes on', tests: ['proof', SIMULATED, 'faults'] },
  {
    id: 'F05',
    fault: 'event loop blocked',
    tests: [
      'consumers/source/kafka/flow/flow.test.ts',
      'consumers/source/kafka/flow/group.test.ts',
      SIMULATED,
      'faults',
    ],
  },
  { id: 'F06', fault: 'workers added and taken away', tests: ['consumers/source/kafka/flow/group.test.ts', SIMULATED] },
  {
    id: 'F07',
    fault: 'rebalance in the middle of a batch',
    tests: ['consumers/source/kafka/flow/flow.test.ts', SIMULATED],
  },
  {
    id: 'F08',
    fault: 'the group says that a member is not known',
    tests: ['consumers/source/kafka/access/faults.test.ts', 'consumers/source/kafka/flow/flow.test.ts'],
    missing: 'a broker that answers so at will; F04 and F50 meet it',
  },
  {
    id: 'F09',
    fault: 'coordinator not available',
    tests: ['consumers/source/kafka/access/faults.test.ts', 'consumers/source/kafka/flow/outage.test.ts', 'faults'],
  },
  { id: 'F10', fault: 'broker killed', tests: ['consumers/source/kafka/flow/outage.test.ts', 'faults'] },
  {
    id: 'F11',
    fault: 'rolling restart of three brokers',
    tests: ['consumers/source/kafka/flow/outage.test.ts', 'faults'],
  },
  { id: 'F12', fault: 'all brokers down', tests: ['consumers/source/kafka/flow/outage.test.ts', SIMULATED, 'faults'] },
  {
    id: 'F13',
    fault: 'broker silent, without a reset',
    tests: ['consumers/source/kafka/access/reconnect.test.ts', 'consumers/source/kafka/flow/outage.test.ts', 'faults'],
  },
  { id: 'F14', fault: 'packets lost, late, twice or overtaken; narrow line', tests: ['faults'] },
  {
    id: 'F15',
    fault: 'connections reset again and again',
    tests: ['accumulators/store/redis-store.test.ts', 'consumers/source/kafka/access/reconnect.test.ts', 'faults'],
  },
  { id: 'F16', fault: 'group deleted', tests: [SIMULATED, 'faults'] },
  {
    id: 'F17',
    fault: 'retention deletes what was not read',
    tests: ['consumers/source/kafka/flow/reading.test.ts', 'service/retention.test.ts', 'worker/worker.test.ts'],
  },
  { id: 'F18', fault: 'topic deleted and recreated', tests: ['service/recreated.test.ts', 'worker/worker.test.ts'] },
  {
    id: 'F19',
    fault: 'partitions added',
    tests: ['service/run.test.ts', 'consumers/source/kafka/flow/reading.test.ts'],
  },
  { id: 'F20', fault: 'duplicates in the log', tests: ['proof', SIMULATED, 'faults'] },
  {
    id: 'F21',
    fault: 'aborted transactions, control records',
    tests: ['consumers/source/kafka/flow/reading.test.ts', 'consumers/source/kafka/codecs/records.test.ts'],
  },
  { id: 'F22', fault: 'one topic far ahead of the other', tests: ['worker/worker.test.ts', SIMULATED] },
  {
    id: 'F23',
    fault: 'Redis killed and started again',
    tests: ['proof', 'accumulators/store/redis-store.test.ts', SIMULATED, 'faults'],
  },
  { id: 'F24', fault: 'Redis comes back empty', tests: ['service/run.test.ts', 'worker/worker.test.ts', SIMULATED] },
  {
    id: 'F25',
    fault: 'a backup is restored',
    tests: ['contracts/store', 'accumulators/store/redis-unit.test.ts', SIMULATED, 'faults'],
  },
  {
    id: 'F26',
    fault: 'fail-over to a replica that lacks writes, old primary still writable',
    tests: ['contracts/store/redis-sentinel.test.ts', SIMULATED, 'faults'],
  },
  { id: 'F27', fault: 'fail-over by sentinels', tests: ['contracts/store/redis-sentinel.test.ts', 'faults'] },
  { id: 'F28', fault: 'writes reach a replica', tests: ['accumulators/store/redis-store.test.ts', 'faults'] },
  {
    id: 'F29',
    fault: 'Redis stopped for a while',
    tests: ['accumulators/store/redis-store.test.ts', SIMULATED, 'faults'],
  },
  {
    id: 'F30',
    fault: 'request lost, reply lost, request sent twice',
    tests: ['accumulators/store/redis-store.test.ts', 'accumulators/store/redis-unit.test.ts', SIMULATED],
  },
  { id: 'F31', fault: 'scripts forgotten', tests: ['accumulators/store/redis-store.test.ts', 'faults'] },
  {
    id: 'F32',
    fault: 'Redis busy; cluster down; slot moved',
    tests: ['accumulators/store/redis-store.test.ts', 'contracts/store/redis-cluster.test.ts', 'faults'],
  },
  {
    id: 'F33',
    fault: 'Redis out of memory; wrong eviction policy',
    tests: ['accumulators/store/redis-store.test.ts', 'accumulators/store/redis-findings.test.ts', 'faults'],
  },
  {
    id: 'F34',
    fault: 'disk full',
    tests: ['accumulators/store/redis-store.test.ts', 'dead-letters/letter-file.test.ts', 'faults'],
  },
  {
    id: 'F35',
    fault: 'batches that unpack without end, unknown codecs',
    tests: ['consumers/source/kafka/codecs/compressed.test.ts', 'service/undecodable.test.ts'],
  },
  { id: 'F36', fault: 'damaged and hostile records', tests: ['consumers/decode', 'consumers/join', 'proof'] },
  {
    id: 'F37',
    fault: 'impossible times of records',
    tests: ['consumers/decode/times.test.ts', 'simulate', SIMULATED],
  },
  { id: 'F38', fault: 'too many cohorts', tests: ['metrics/series-limit.test.ts', 'exporter/squatting.test.ts'] },
  { id: 'F39', fault: 'hostile names of cohorts', tests: ['metrics', 'consumers/decode'] },
  { id: 'F40', fault: 'wrong wall clock', tests: ['service/clock-check.test.ts', SIMULATED, 'faults'] },
  {
    id: 'F41',
    fault: 'Prometheus or Alertmanager away',
    tests: ['server/prometheus.test.ts', 'rules/live.test.ts', 'faults'],
  },
  { id: 'F42', fault: 'slow and hostile clients of HTTP', tests: ['server'] },
  { id: 'F43', fault: 'little memory', tests: ['service/memory.test.ts', 'worker/worker.test.ts'] },
  { id: 'F44', fault: 'Redis away for long', tests: ['worker/worker.test.ts', SIMULATED, 'faults'] },
  {
    id: 'F45',
    fault: 'old and new version; upgrade and downgrade',
    tests: ['service/downgrade.test.ts', 'stored-format', 'faults'],
  },
  {
    id: 'F46',
    fault: 'wrong rights, changed passwords, expired certificates',
    tests: [
      'accumulators/store/redis-secure.test.ts',
      'consumers/source/kafka/access/secure.test.ts',
      'connections',
      'service/secrets.test.ts',
    ],
  },
];
