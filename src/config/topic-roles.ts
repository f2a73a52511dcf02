import { listProblems } from '../consumers/decode/list-problems.ts';
import { mapProblems, mapsProblems } from '../consumers/decode/map-problems.ts';
import type { AdapterChoice } from '../consumers/decode/settings.ts';
import type { TopicRole } from '../vocabulary/topic-role.ts';
import type { Report } from './report.ts';
import type { EventForm, InputSettings, Settings, TopicSettings } from './settings.ts';
import type { InputDocument, InputsDocument, TopicDocument, TopicsDocument } from './topics.ts';
import type { Path } from './tree.ts';

const OPTIONS = ['adapter', 'tsUnit', 'timeZone', 'positionBase'] as const;

type PartialForm = { readonly [Option in keyof EventForm]?: EventForm[Option] | undefined };

const IMPRESSIONS: TopicRole = { impressions: true, feedback: false };
const FEEDBACK: TopicRole = { impressions: false, feedback: true };
const BOTH: TopicRole = { impressions: true, feedback: true };

/**
 * The topics of a unit. The impressions topic stands first, or, where it carries feedback too, in its place among the
 * feedback topics. What a topic does not say is said by `inputs`.
 */
export function topicsOf(
  { impressions, feedback }: TopicsDocument,
  inputs: InputsDocument,
  report: Report,
): readonly TopicSettings[] {
  const path = ['kafka', 'topics', 'feedback'];
  const list = Array.isArray(feedback) ? feedback : [feedback];
  const shared = ['kafka', 'topics', 'impressions'];
  const isShared = list.some(({ name }) => name === impressions.name);
  const first = isShared
    ? topicOf(impressions, shared, BOTH, eventsOf(inputs), report)
    : topicOf(impressions, shared, IMPRESSIONS, inputs.impressions, report);
  const topics: TopicSettings[] = isShared ? [] : [first];
  for (const [i, topic] of list.entries()) {
    const at: Path = Array.isArray(feedback) ? [...path, i] : path;
    if (topics.some(({ name }) => name === topic.name)) {
      report.add([...at, 'name'], 'stands there twice');
    } else if (topic.name === impressions.name) {
      topics.push(first);
      for (const option of OPTIONS) {
        const differs =
          topic[option] !== undefined && JSON.stringify(topic[option]) !== JSON.stringify(impressions[option]);
        if (differs) report.add([...at, option], 'differs from kafka.topics.impressions, which is the same topic');
      }
    } else {
      topics.push(topicOf(topic, at, FEEDBACK, inputs.feedback, report));
    }
  }
  return topics;
}

function topicOf(topic: TopicDocument, path: Path, role: TopicRole, input: PartialForm, report: Report): TopicSettings {
  const { name } = topic;
  if (topic.adapter !== undefined) {
    const advice = `name the topic "${name}" under impressions and under feedback`;
    checkAdapter(topic.adapter, [...path, 'adapter'], role, advice, report);
  }
  return { name, role, ...formOf(topic, input) };
}

/** How files are read: as `inputs` says; what it leaves open as the topics of that side are. */
export function inputsOf(inputs: InputsDocument, topics: readonly TopicSettings[], report: Report): Settings['inputs'] {
  const both = topics.find(({ role }) => role.impressions && role.feedback);
  const impressions = topics.find(({ role }) => role.impressions);
  const advice = 'set it under inputs.events';
  // Of a topic of both kinds it may be the only one.
  const isOfBoth = both !== undefined && both.adapter === inputs.impressions.adapter;
  for (const [side, role] of [
    ['impressions', isOfBoth ? BOTH : IMPRESSIONS],
    ['feedback', FEEDBACK],
    ['events', BOTH],
  ] as const) {
    const { adapter } = inputs[side];
    if (adapter !== undefined) checkAdapter(adapter, ['inputs', side, 'adapter'], role, advice, report);
  }
  return {
    impressions: inputOf(inputs.impressions, impressions),
    feedback: inputOf(
      inputs.feedback,
      topics.find(({ role }) => role.feedback),
    ),
    events: inputOf(eventsOf(inputs), both ?? impressions),
  };
}

function eventsOf({ impressions, events }: InputsDocument): InputDocument {
  return { ...impressions, ...events };
}

function inputOf(input: InputDocument, topic: TopicSettings | undefined): InputSettings {
  const { format = 'auto', delimiter, columns } = input;
  return { ...formOf(input, topic ?? {}), file: { format, delimiter, columns } };
}

function formOf(own: PartialForm, other: PartialForm): EventForm {
  return {
    adapter: own.adapter ?? other.adapter ?? 'canonical',
    tsUnit: own.tsUnit ?? other.tsUnit ?? 'auto',
    timeZone: own.timeZone ?? other.timeZone,
    positionBase: own.positionBase ?? other.positionBase ?? 1,
  };
}

function checkAdapter(adapter: AdapterChoice, at: Path, role: TopicRole, advice: string, report: Report): void {
  if (adapter === 'open-bandit' && !(role.impressions && role.feedback)) {
    report.add(at, `open-bandit rows are impressions and clicks in one: ${advice}`);
  }
  if (typeof adapter !== 'object') return;
  for (const { at: below, message } of problemsOf(adapter, role)) {
    report.add([...at, ...below.filter((name) => name !== '')], message);
  }
}

function problemsOf(adapter: Exclude<AdapterChoice, string>, role: TopicRole) {
  if ('list' in adapter) return listProblems(adapter, role);
  if ('maps' in adapter) return mapsProblems(adapter.maps, role);
  return mapProblems(adapter.map, role).map(({ field, message }) => ({ at: ['map', field], message }));
}
