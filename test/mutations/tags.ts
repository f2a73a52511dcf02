/** Weakened rules of tags that the engine knows: each must be caught. */
import { MANY_CONTEXTS, type TagHistory } from '../unit/told-tags.ts';
import { change, type Mutation } from './mutation.ts';

const TAGS = '../wasm/engine/tags.ts';
const CONTEXTS = '../wasm/scan/contexts.ts';

export const TAG_MUTATIONS: readonly (Mutation & { readonly history?: TagHistory })[] = [
  change(
    'a tag that was freed is taken on',
    TAGS,
    'if (load<u32>(adder.versions + 4 * <usize>tag) !== known.version) return NO_TAG;',
    '',
  ),
  change('a list that takes a tag does not hold it', TAGS, 'load<u32>(holder) + 1', 'load<u32>(holder)'),
  change('two contexts are alike', TAGS, 'KNOWN_BYTES * <usize>context)', 'KNOWN_BYTES * <usize>(context & ~1))'),
  change('a freed tag remains what it was', 'accumulators/cohorts.ts', 'versions.set(tag, versions.get(tag) + 1);', ''),
  change(
    'who saw a variant is not asked for',
    'unit/unit-experiments.ts',
    ' && !this.#places.some((place, r) => this.#exposures.has(r, dimensions[place]))',
    '',
  ),
  change(
    'lists from before a run are taken for those of it',
    'unit/unit-experiments.ts',
    'this.#runs.haveBegun(topic, offset) && ',
    '',
  ),
  {
    ...change('tags of contexts that the scanner has forgotten are taken', CONTEXTS, '  generation++;\n', ''),
    history: MANY_CONTEXTS,
  },
];
