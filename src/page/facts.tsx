import { jsx } from '../charts/jsx.ts';
import type { ExperimentSettings, Settings } from '../config/settings.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { instant } from '../vocabulary/numbers.ts';
import type { Fact } from './model.ts';
import { Name } from './name.ts';

/** A list of names and values, drawn as tiles if they are numbers to watch. */
export function Facts({ facts, areTiles = false }: { readonly facts: readonly Fact[]; readonly areTiles?: boolean }) {
  if (facts.length === 0) return null;
  return (
    <dl class={areTiles ? 'tiles' : 'facts'}>
      {facts.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>
            {areTiles ? (
              <b>
                <Name>{value}</Name>
              </b>
            ) : (
              <Name>{value}</Name>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The settings of an experiment. @param name the prefix of each fact, if there are several experiments */
export function experimentFacts(experiment: ExperimentSettings, name?: string): readonly Fact[] {
  const { variants, control, primary, guardrails, horizon, start, alpha, nStar, tolerance } = experiment;
  const facts: readonly Fact[] = [
    ['variants', [...variants].map(([variant, weight]) => `${variant} ${weight}`).join(', ')],
    ['control', control],
    ['primary', primary],
    ['guardrails', guardrails.length === 0 ? 'none' : guardrails.join(', ')],
    ['horizon', horizon.text],
    ...(start === undefined ? [] : [['start', instant(new Date(start).toISOString())] as const]),
    ['alpha', String(alpha)],
    ['tolerance', String(tolerance)],
    ['nStar', grouped(nStar)],
  ];
  return name === undefined ? facts : facts.map(([fact, value]) => [`${name}: ${fact}`, value]);
}

/** The settings that say what is counted. */
export function countingFacts({ measures, attribution, cohorts }: Settings): readonly Fact[] {
  return [
    ['measures', measures.map(({ canonical }) => canonical).join(', ')],
    ['horizons', attribution.horizons.map(({ text }) => text).join(', ')],
    ['cohorts', cohorts.map((by) => (by.length === 0 ? 'everything' : by.join(' and '))).join('; ')],
  ];
}
