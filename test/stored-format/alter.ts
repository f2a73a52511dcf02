/** What bad luck makes of a stored text: turned bits, other digits, ends that are cut off, parts that changed places. */

/** Numbers that a careless reader takes at their word. */
const NUMBERS = ['0', '-1', '9007199254740991', '-9007199254740991', '1e300', 'null', '"9"', '[]', '1.5', 'true', '{}'];
const NUMBER = /-?\d+/g;
const ELEMENT = /,("[^"]*":)?(-?\d+|\[[^[\]]*\]|\{[^{}]*\}|"[^"]*"|null)/g;

/** @param draw [0, 1) @param others texts that it may be mixed up with */
export function altered(text: string, draw: () => number, others: readonly string[]): string {
  const any = <T>(list: readonly T[]): T => list[Math.floor(draw() * list.length)];
  const at = Math.floor(draw() * text.length);
  const numbers = [...text.matchAll(NUMBER)];
  switch (Math.floor(draw() * 8)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(0, at) + any(others).slice(Math.floor(draw() * 20));
    case 2:
      return any(others);
    case 3:
      return numbers.length === 0 ? '' : replaced(text, any(numbers), any(NUMBERS));
    case 4: {
      if (numbers.length === 0) return `${text}9`;
      const number = any(numbers);
      const digit = Math.floor(draw() * number[0].length);
      const digits = number[0].slice(0, digit) + Math.floor(draw() * 10) + number[0].slice(digit + 1);
      return replaced(text, number, digits);
    }
    case 5: {
      const elements = [...text.matchAll(ELEMENT)];
      if (elements.length === 0) return '';
      const element = any(elements);
      return replaced(text, element, draw() < 0.5 ? '' : element[0] + element[0]);
    }
    case 6: {
      if (numbers.length < 2) return `${text} `;
      const [one, other] = [any(numbers), any(numbers)].sort((a, b) => a.index - b.index);
      return replaced(replaced(text, other, one[0]), one, other[0]);
    }
    default: {
      const bytes = Buffer.from(text);
      if (bytes.length > 0) bytes[at % bytes.length] ^= 1 << Math.floor(draw() * 8);
      return bytes.toString();
    }
  }
}

function replaced(text: string, match: RegExpExecArray, by: string): string {
  return text.slice(0, match.index) + by + text.slice(match.index + match[0].length);
}
