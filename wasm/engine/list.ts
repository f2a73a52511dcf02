/** A list of addresses that grows at its end. */
import { giveShared, sizeOf, takeShared, widenedShared } from './memory';

@unmanaged
export class List {
  at: usize;
  count: u32;
}

export function newList(): List {
  const list = changetype<List>(takeShared(offsetof<List>()));
  list.at = takeShared(256);
  list.count = 0;
  return list;
}

export function closeList(list: List): void {
  giveShared(list.at);
  giveShared(changetype<usize>(list));
}

export function push(list: List, item: usize): void {
  if (<usize>list.count * 4 === sizeOf(list.at)) list.at = widenedShared(list.at);
  store<u32>(list.at + <usize>list.count * 4, <u32>item);
  list.count++;
}

export function itemOf(list: List, index: u32): usize {
  if (!ASC_NO_ASSERT) assert(index < list.count, 'an item of the list');
  return <usize>load<u32>(list.at + <usize>index * 4);
}

/** Reverses the list. */
export function reverse(list: List): void {
  let from = list.at;
  let to = list.at + <usize>list.count * 4 - 4;
  while (from < to) {
    const item = load<u32>(from);
    store<u32>(from, load<u32>(to));
    store<u32>(to, item);
    from += 4;
    to -= 4;
  }
}
