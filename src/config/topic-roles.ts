import { mapProblems, mapsProblems } from '../consumers/decode/map-problems.ts';
import type { Report } from './report.ts';
import type { TopicSettings } from './settings.ts';
import type { TopicDocument, TopicsDocument } from './topics.ts';
import type { Path } from './tree.ts';

const OPTIONS = ['adapter', 'tsUnit', 'positionBase'] as const;

/**
 * The topics of a unit. The impressions topic stands first, or, where it carries feedback too, in its place among the
 * feedback topics.
 */
export function topicsOf({ impressions, feedback }: TopicsDocument, report: Report): readonly TopicSettings[] {
  const path = ['kafka', 'topics', 'feedback'];
  const list = Array.isArray(feedback) ? feedback : [feedback];
  const shared = ['kafka', 'topics', 'impressions'];
  const isShared = list.some(({ name }) => name === impressions.name);
  const first = topicOf(impressions, shared, { impressions: true, feedback: isShared }, report);
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
      topics.push(topicOf(topic, at, { impressions: false, feedback: true }, report));
    }
  }
  return topics;
}

function topicOf(topic: TopicDocument, path: Path, role: TopicSettings['role'], report: Report): TopicSettings {
  const { name, adapter = 'canonical', tsUnit = 'ms', positionBase = 1 } = topic;
  const at = [...path, 'adapter'];
  if (adapter === 'open-bandit' && !(role.impressions && role.feedback)) {
    const advice = `name the topic "${name}" under impressions and under feedback`;
    report.add(at, `open-bandit rows are impressions and clicks in one: ${advice}`);
  }
  if (typeof adapter === 'object') {
    const problems =
      'map' in adapter
        ? mapProblems(adapter.map, role).map(({ field, message }) => ({ at: ['map', field], message }))
        : mapsProblems(adapter.maps, role);
    for (const { at: below, message } of problems) {
      report.add([...at, ...below.filter((name) => name !== '')], message);
    }
  }
  return { name, role, adapter, tsUnit, positionBase };
}
