import type { UnitCheckpoint } from '../accumulators/store/checkpoint-codec.ts';
import type { Settings } from '../config/settings.ts';
import type { Bounds } from '../consumers/source/source-port.ts';
import { fingerprint } from '../unit/fingerprint.ts';
import { NO_PERMISSIONS, StateMismatch } from '../unit/resume.ts';
import { checkStored, StartRefused } from './checks.ts';
import { count, type Finding, finding } from './doctor-finding.ts';

/** What is stored, and what Kafka holds. By partition, or by topic and then partition. */
export interface StateFacts {
  readonly stored: readonly (UnitCheckpoint | undefined)[];
  readonly committedByGroup: readonly (readonly number[])[];
  readonly bounds: readonly (readonly Bounds[])[];
}

/** Checks whether workers can resume from the stored state: it fits the configuration, was not lost, and the logs reach back far enough. */
export function checkState(settings: Settings, facts: StateFacts): readonly Finding[] {
  const findings = [checkFit(settings, facts)];
  for (const [partition, checkpoint] of facts.stored.entries()) {
    if (checkpoint === undefined) continue;
    for (const [t, { name }] of settings.kafka.topics.entries()) {
      const topic = checkpoint.join.topics[t];
      const bounds = facts.bounds[t]?.[partition];
      if (topic === undefined || bounds === undefined) continue;
      const where = `${name}, partition ${partition}`;
      if (topic.replay < bounds.start) findings.push(gap(settings, where, bounds.start - topic.replay, bounds.start));
      if (topic.committed > bounds.end) {
        findings.push(
          finding(
            'state',
            'error',
            `${where}: the log ends at ${bounds.end}, before the stored offset ${topic.committed}: the topic was deleted and made ` +
              'anew. Take another namespace and kafka.groupId for the new topic, or restore the old one',
            'RecevalDataGap',
          ),
        );
      }
      const witness = facts.committedByGroup[t]?.[partition] ?? -1;
      if (witness > topic.committed) {
        findings.push(
          finding(
            'state',
            'warning',
            `${where}: the group has committed ${witness}, the stored state stands at ${topic.committed}: Redis went back by ` +
              `${count(witness - topic.committed)} records. They are read again; look why Redis lost them`,
            'RecevalRedisRollback',
          ),
        );
      }
    }
  }
  return findings;
}

function checkFit(settings: Settings, { stored, committedByGroup }: StateFacts): Finding {
  try {
    checkStored(settings, stored, committedByGroup, { ...NO_PERMISSIONS, rebuild: false });
  } catch (error) {
    if (!(error instanceof StartRefused) && !(error instanceof StateMismatch)) throw error;
    const isLost = stored.some((checkpoint) => checkpoint === undefined) && error instanceof StartRefused;
    return finding('state', 'error', error.message, isLost ? 'RecevalStateLost' : 'RecevalUnitStopped');
  }
  const there = stored.filter((checkpoint) => checkpoint !== undefined);
  if (there.length === 0) {
    return finding(
      'state',
      'ok',
      `nothing is stored in the namespace "${settings.namespace}" yet: the first start begins at start.from`,
    );
  }
  const { additive } = fingerprint(settings);
  const differs = there.some((checkpoint) => checkpoint.fingerprint.additive !== additive);
  return finding(
    'state',
    'ok',
    `${there.length} of ${stored.length} partitions have stored state, and it fits the configuration` +
      (differs ? '; measures, sets, windows or experiments that were added will start empty' : ''),
  );
}

function gap({ start }: Settings, where: string, records: number, first: number): Finding {
  const found = `${where}: the log begins at ${first}, ${count(records)} records that would be read again are gone`;
  return start.onGap === 'skip'
    ? finding(
        'state',
        'warning',
        `${found}; with start.onGap: skip the worker continues, and the windows say incomplete`,
        'RecevalDataGap',
      )
    : finding(
        'state',
        'error',
        `${found}; the partition will stop. Let the topic keep more, and start with start.onGap: skip to go on without them`,
        'RecevalDataGap',
      );
}
