/** The file tree on the screen, and its selected row. Only visible rows are in the DOM, so a directory with thousands of entries costs no more than a small one. */
import { formatBytes, h } from '../page/dom.js'
import type { ChangedPaths } from './changed-paths.js'
import type { Row, TreeRows } from './tree-rows.js'

export interface TreeView {
  readonly element: HTMLElement
  /** The selected path. */
  readonly selected: string | undefined
  /** Selects a row, and scrolls to it. */
  select(path: string | undefined): void
  /** Selects nothing, from the next drawing on. */
  reset(): void
  draw(): void
  rowAt(event: Event): Row | undefined
  /** Where a row is on the screen; undefined when it is out of view. */
  boxOf(row: Row): DOMRect | undefined
  /** Shows where a dragged file would go. */
  markTarget(directory: string | undefined): void
}

/** High enough for a finger on touch screens. */
const rowHeight = matchMedia('(pointer: coarse)').matches ? 40 : 26
const badges = { added: 'A', modified: 'M', deleted: 'D' } as const

export function treeView(rows: TreeRows, changed: () => ChangedPaths): TreeView {
  let selected: string | undefined
  const space = h('div', { class: 'tree-space' })
  const element = h('div', { class: 'tree', role: 'tree', tabindex: 0, 'aria-label': 'Files' }, space)
  element.addEventListener('scroll', draw)
  new ResizeObserver(draw).observe(element)

  function draw(): void {
    const { all } = rows
    space.style.height = `${all.length * rowHeight}px`
    const first = Math.max(0, Math.floor(element.scrollTop / rowHeight) - 5)
    const count = Math.ceil((element.clientHeight || 600) / rowHeight) + 10
    space.replaceChildren(...all.slice(first, first + count).map((row, index) => rowElement(row, first + index)))
    const active = all.findIndex(({ path }) => path === selected)
    if (active >= first && active < first + count) element.setAttribute('aria-activedescendant', `row-${active}`)
    else element.removeAttribute('aria-activedescendant')
  }

  function rowElement(row: Row, index: number): HTMLElement {
    const { path, name, kind, depth, size } = row
    const isDirectory = kind === 'directory'
    const isExpanded = rows.isExpanded(path)
    const badge = changed().badge(path)
    const icon = isDirectory ? (isExpanded ? '▾' : '▸') : kind === 'symlink' ? '↪' : ''
    return h(
      'div',
      {
        class: `row ${kind}${path === selected ? ' selected' : ''}${badge ? ` ${badge}` : ''}`,
        id: `row-${index}`,
        role: 'treeitem',
        'aria-level': depth + 1,
        'aria-selected': String(path === selected),
        'aria-expanded': isDirectory ? String(isExpanded) : undefined,
        draggable: 'true',
        'data-path': path,
        title: size === undefined ? path : `${path} · ${formatBytes(size)}`,
        style: `height: ${rowHeight}px; top: ${index * rowHeight}px; padding-left: ${0.5 + depth * 0.9}rem`,
      },
      h('span', { class: 'twist', 'aria-hidden': 'true' }, icon),
      h('span', { class: 'name' }, name),
      badge && h('span', { class: 'badge', 'aria-hidden': 'true' }, badges[badge]),
      badge && h('span', { class: 'unseen' }, `, ${badge}`),
      isDirectory &&
        !badge &&
        changed().holdsChanges(path) &&
        h('span', { class: 'badge dot', 'aria-hidden': 'true' }, '•'),
      h('span', { class: 'more', 'aria-hidden': 'true' }, '⋯'),
    )
  }

  function scrollTo(index: number): void {
    const top = index * rowHeight
    const bottom = top + rowHeight
    if (top < element.scrollTop) element.scrollTop = top
    else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight
  }

  return {
    element,
    get selected() {
      return selected
    },
    select(path) {
      selected = path
      const index = rows.all.findIndex((row) => row.path === path)
      if (index >= 0) scrollTo(index)
      draw()
    },
    reset() {
      selected = undefined
    },
    draw,
    rowAt: (event) => rows.find((event.target as Element).closest<HTMLElement>('.row')?.dataset.path),
    boxOf: (row) => space.querySelector(`#row-${rows.all.indexOf(row)}`)?.getBoundingClientRect(),
    markTarget(directory) {
      for (const row of space.querySelectorAll<HTMLElement>('.row')) {
        row.classList.toggle('target', row.dataset.path === directory)
      }
      element.classList.toggle('target', directory === rows.root)
    },
  }
}
