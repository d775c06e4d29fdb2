/** Groups items that name the same path, directly or through others. Returns the group of an item, itself included. */
export function groupsByPath<Item>(
  items: readonly Item[],
  pathsOf: (item: Item) => readonly string[],
): (item: Item) => readonly Item[] {
  /** From each path towards the one that stands for its group. */
  const above = new Map<string, string>()

  function topOf(path: string): string {
    let top = path
    for (let next = above.get(top); next !== undefined; next = above.get(top)) top = next
    // Shortens the way for the next time.
    for (let at = path; at !== top; ) {
      const next = above.get(at) as string
      above.set(at, top)
      at = next
    }
    return top
  }

  const groupName = (item: Item) => topOf(pathsOf(item)[0] ?? '')
  for (const item of items) {
    for (const path of pathsOf(item).slice(1)) {
      const [one, other] = [groupName(item), topOf(path)]
      if (one !== other) above.set(other, one)
    }
  }
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const group = groups.get(groupName(item))
    if (group) group.push(item)
    else groups.set(groupName(item), [item])
  }
  return (item) => groups.get(groupName(item)) ?? [item]
}
