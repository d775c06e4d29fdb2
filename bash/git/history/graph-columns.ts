/** Which column every line of the graph is in, and where the lines of a commit go. */
export interface GraphCommit {
  oid: string
  parents: readonly string[]
}

export interface GraphColumns {
  /** The commits that the lines above the commit lead to. */
  before: readonly string[]
  /** Those that the lines below it lead to. */
  after: readonly string[]
  /** The colours of both, counted in order. */
  beforeColors: readonly number[]
  afterColors: readonly number[]
  /** The colour that was given out last. */
  lastColor: number
  /** The column that each position leads to, or -1: two positions per column. */
  mapping: number[]
  mappingSize: number
  width: number
  /** The column of the commit. */
  commitIndex: number
  /** How the lines to its parents begin: 0 to the left, 1 straight down. */
  layout: number
  /** By how many columns the lines grow in number. */
  edgesAdded: number
}

export function columnsOf(commit: GraphCommit, above?: GraphColumns): GraphColumns {
  const { after: before, afterColors: beforeColors, lastColor: firstColor } = above ?? noColumns
  const after: string[] = []
  const afterColors: number[] = []
  let lastColor = firstColor
  let mappingSize = 2 * (before.length + commit.parents.length)
  const mapping = new Array<number>(Math.max(1, mappingSize)).fill(-1)
  let [width, commitIndex, layout, edgesAdded] = [0, 0, 0, 0]

  for (let i = 0, hasSeen = false; i <= before.length; i += 1) {
    if (i === before.length && hasSeen) break
    const own = i === before.length ? commit.oid : (before[i] as string)
    if (own !== commit.oid) {
      insert(own, -1)
      continue
    }
    hasSeen = true
    commitIndex = i
    layout = -1
    for (const parent of commit.parents) {
      if (commit.parents.length > 1 || i === before.length) lastColor += 1
      insert(parent, i)
    }
    if (commit.parents.length === 0) width += 2
  }
  while (mappingSize > 1 && (mapping[mappingSize - 1] ?? -1) < 0) mappingSize -= 1
  return {
    before,
    after,
    beforeColors,
    afterColors,
    lastColor,
    mapping,
    mappingSize,
    width,
    commitIndex,
    layout,
    edgesAdded,
  }

  function insert(oid: string, index: number): void {
    let column = after.indexOf(oid)
    if (column === -1) {
      column = after.length
      after.push(oid)
      const known = before.indexOf(oid)
      afterColors.push(known === -1 ? lastColor : (beforeColors[known] as number))
    }
    let place: number
    if (commit.parents.length > 1 && index > -1 && layout === -1) {
      const distance = index - column
      const shift = distance > 1 ? 2 * distance - 3 : 1
      layout = distance > 0 ? 0 : 1
      edgesAdded = commit.parents.length + layout - 2
      place = width + (layout - 1) * shift
      width += 2 * layout
    } else if (edgesAdded > 0 && column === mapping[width - 2]) {
      place = width - 2
      edgesAdded = -1
    } else {
      place = width
      width += 2
    }
    mapping[place] = column
  }
}

const noColumns = { after: [] as readonly string[], afterColors: [] as readonly number[], lastColor: -1 }

/** Whether every line is in the column that it leads to. */
export function isInPlace({ mapping, mappingSize }: GraphColumns): boolean {
  for (let i = 0; i < mappingSize; i += 1) {
    const target = mapping[i] ?? -1
    if (target >= 0 && target !== i >> 1) return false
  }
  return true
}
