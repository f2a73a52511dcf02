import { expect, it } from 'vitest';
import { yesOrNo } from '../../../src/consumers/decode/list.ts';

it.each([
  [true, ['1', 'true', 'T', 'Yes', 'y', 'ja', 'J', 'oui', 'Si', 'sí', 's\u0069\u0301', 'x', 'on', ' ja ']],
  [false, ['', '0', 'FALSE', 'f', 'no', 'N', 'nein', 'non', 'off', 'null', 'na\u0303o']],
  [undefined, ['2', 'click', 'maybe', 'yes and no', '-']],
])('%s is what these words say', (says, words) => {
  expect(words.map(yesOrNo)).toEqual(words.map(() => says));
});
