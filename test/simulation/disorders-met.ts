import { isLarge } from '../../src/accumulators/admission-state.ts';
import type { PanesState } from '../../src/accumulators/panes-settings.ts';
import type { Fields } from '../../src/accumulators/store/store-port.ts';
import type { ReferenceResult } from '../reference/join.ts';
import type { Disorder } from './disorders.ts';
import type { Expected } from './expected.ts';
import type { Happened } from './happened.ts';
import type { Lineage } from './lineage.ts';
import type { SimulatedSettings } from './scenario.ts';

/** Notes which kinds of disorder the events of one unit met, by what the reference says of them. */
export function noteDisorders(
  happened: Happened,
  { join, begin }: SimulatedSettings,
  expected: Expected,
  lineage: Lineage,
  checkpoint: Fields | undefined,
): void {
  const note = (disorder: Disorder): void => happened.add(disorder);
  for (const [topic, { impressions, feedback, unmapped }] of expected.join.counts.entries()) {
    if (unmapped !== undefined) note('unmapped');
    if (impressions.drops.undecodable > 0) note('impression undecodable');
    if (feedback.drops.undecodable > 0) note('feedback undecodable');
    if (impressions.drops.tombstone > 0) note('impression tombstone');
    if (impressions.drops.invalid > 0) note('impression invalid');
    if (feedback.drops.tombstone > 0) note('feedback tombstone');
    if (feedback.drops.invalid > 0) note('feedback invalid');
    if (lineage.committed[topic] === begin[topic]) note('a topic that never holds a record');
    if (lineage.inputs[topic].clockDrops.length > 0) note('future by the wall clock');
    if (lineage.inputs[topic].advances.length > 0) note('idle advance');
  }
  noteVerdicts(note, expected.join);
  for (const { feedback } of expected.join.closings) if (feedback.length === 0) note('closed without feedback');
  if (expected.deletedPanes > 0) note('pane deleted');
  if (expected.placesGiven > 0) note('place given to another cohort');
  const panes: PanesState = JSON.parse(checkpoint?.get('panes') ?? '{"admission":[]}');
  if (panes.admission.some(({ folded }) => Number.isFinite(folded) && folded !== null)) note('cohort folded');
  if (panes.admission.some(isLarge)) note('places beside the checkpoint');
  if (join.topics.length === 0) throw new Error('a unit has topics');
}

function noteVerdicts(note: (disorder: Disorder) => void, { impressions, feedback }: ReferenceResult): void {
  for (const { verdict } of impressions) {
    if (verdict.kind === 'dropped') note(`impression ${verdict.reason}`);
    else if (verdict.missed.length > 0) note('impression missed a horizon');
  }
  for (const { verdict, offset, topic } of feedback) {
    switch (verdict.kind) {
      case 'dropped':
        if (verdict.reason === 'late')
          note(verdict.known === 'record' ? 'feedback late by record' : 'feedback late by meeting');
        else note(`feedback ${verdict.reason}`);
        break;
      case 'attributed':
        if (verdict.missed.length > 0) note('feedback missed a horizon');
        if (verdict.to.topic === topic && verdict.to.offset > offset) note('feedback before its impression');
        break;
      case 'waiting':
        break;
    }
  }
}
