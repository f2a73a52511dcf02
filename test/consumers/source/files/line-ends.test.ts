/** Line ends of old Macs: a carriage return alone. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withLineFeeds } from '../../../../src/consumers/source/files/lines.ts';

/** What is read of these texts, each a chunk of a file. */
async function read(texts: readonly string[]): Promise<string> {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (const text of texts) yield Buffer.from(text);
  }
  const parts: Uint8Array[] = [];
  for await (const part of withLineFeeds(chunks())) parts.push(part);
  return Buffer.concat(parts).toString();
}

const word = fc.stringMatching(/^[a-z ]{0,6}$/);
const lines = fc.array(word, { minLength: 3, maxLength: 20 });
const cuts = fc.array(fc.nat(140), { maxLength: 8 });

function cutAt(text: string, places: readonly number[]): string[] {
  const bounds = [0, ...places.filter((at) => at < text.length).sort((a, b) => a - b), text.length];
  return bounds.slice(1).map((to, i) => text.slice(bounds[i], to));
}

test('are line feeds, wherever the bytes are cut', async () => {
  await fc.assert(
    fc.asyncProperty(lines, cuts, async (texts, places) => {
      expect(await read(cutAt(texts.join('\r'), places))).toBe(texts.join('\n'));
    }),
  );
});

test('other line ends, and carriage returns within such lines, are as they were', async () => {
  await fc.assert(
    fc.asyncProperty(lines, fc.constantFrom('\n', '\r\n'), word, cuts, async (texts, end, last, places) => {
      const text = `${texts.join(end)}${end}a\r${last}`;
      expect(await read(cutAt(text, places))).toBe(text);
    }),
  );
  expect(await read([`a\r${'b'.repeat(2 ** 16)}`, '\rc\nd'])).toBe(`a\n${'b'.repeat(2 ** 16)}\nc\nd`);
  expect(await read(['a\rb\rc\n', 'd\re'])).toBe('a\rb\rc\nd\re');
});
