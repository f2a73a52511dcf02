import { printDuration } from '../vocabulary/durations.ts';
import type { Configuration } from './load.ts';
import type { TopicSettings } from './settings.ts';

/** The configuration as YAML data in which every default is written out. May hold secrets (redact.ts). */
export function effectiveDocument({ document, settings }: Configuration): object {
  const { sets, measures, horizon, lowerIsBetter } = settings.detect;
  const { topics } = settings.kafka;
  return {
    ...document,
    kafka: {
      ...document.kafka,
      topics: {
        impressions: topics.filter(({ role }) => role.impressions).map(plainTopic)[0],
        feedback: topics.filter(({ role }) => role.feedback).map(plainTopic),
      },
    },
    lowerIsBetter: [...lowerIsBetter],
    itemSets: settings.itemSets,
    limits: { ...document.limits, cohortsPerSet: settings.limits.cohortsPerSet },
    experiments: Object.fromEntries(
      settings.experiments.map(({ name, primary, horizon: { text } }) => [
        name,
        { ...document.experiments[name], primary, horizon: text },
      ]),
    ),
    deadLetter: settings.deadLetter.to === 'off' ? 'off' : settings.deadLetter,
    statistics: { clustered: settings.statistics.clustered },
    detect: { ...document.detect, sets, measures, horizon: horizon.text, step: printDuration(settings.detect.step) },
  };
}

function plainTopic({ name, adapter, tsUnit, timeZone, positionBase }: TopicSettings): object {
  return { name, adapter, tsUnit, ...(timeZone === undefined ? {} : { timeZone }), positionBase };
}
