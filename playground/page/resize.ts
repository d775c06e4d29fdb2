/** Dividers between the areas of the page: dragged, or moved with the arrow keys. The sizes are remembered. */
import { h } from './dom.js'

interface Divider {
  /** The custom property that holds the size. */
  property: string
  label: string
  /** Horizontal dividers are moved up and down. */
  orientation: 'horizontal' | 'vertical'
  /** The size in pixels for a pointer at this place. */
  sizeAt(event: PointerEvent): number
  /** The element that has the size. */
  sized: HTMLElement
}

const step = 24
const least = 160
const key = 'polyfs-sizes'

/** Adds the dividers to the areas, and applies the sizes of an earlier visit. */
export function makeResizable({ side, dock }: { side: HTMLElement; dock: HTMLElement }): void {
  const sizes = stored()
  for (const [property, size] of Object.entries(sizes)) apply(property, size)
  side.append(
    divider({
      property: '--side-size',
      label: 'Width of the workspace panels',
      orientation: 'vertical',
      sizeAt: ({ clientX }) => clientX,
      sized: side,
    }),
  )
  dock.append(
    divider({
      property: '--dock-size',
      label: 'Height of the tools',
      orientation: 'horizontal',
      sizeAt: ({ clientY }) => innerHeight - clientY,
      sized: dock,
    }),
    divider({
      property: '--agent-size',
      label: 'Width of the agent',
      orientation: 'vertical',
      sizeAt: ({ clientX }) => innerWidth - clientX,
      sized: dock,
    }),
  )

  function divider({ property, label, orientation, sizeAt, sized }: Divider): HTMLElement {
    const element = h('div', {
      class: `divider ${orientation} ${property.slice(2)}`,
      role: 'separator',
      tabindex: 0,
      'aria-orientation': orientation,
      'aria-label': label,
      'aria-valuemin': least,
      title: `${label}: drag, or use the arrow keys`,
    })
    const limit = () => (orientation === 'vertical' ? innerWidth : innerHeight) - 2 * least
    const current = () => (orientation === 'vertical' ? sized.offsetWidth : sized.offsetHeight)
    const set = (size: number) => {
      const kept = Math.round(Math.max(least, Math.min(size, limit())))
      sizes[property] = kept
      apply(property, kept)
      element.setAttribute('aria-valuenow', String(kept))
      localStorage.setItem(key, JSON.stringify(sizes))
    }
    element.setAttribute('aria-valuenow', String(sizes[property] ?? least))
    element.addEventListener('pointerdown', (event) => {
      element.setPointerCapture(event.pointerId)
      element.classList.add('moving')
      event.preventDefault()
    })
    element.addEventListener('pointermove', (event) => {
      if (element.hasPointerCapture(event.pointerId)) set(sizeAt(event))
    })
    element.addEventListener('pointerup', () => element.classList.remove('moving'))
    element.addEventListener('keydown', (event) => {
      // Towards the editor makes the area larger.
      const grows = { '--side-size': 'ArrowRight', '--dock-size': 'ArrowUp', '--agent-size': 'ArrowLeft' }[property]
      const shrinks = { '--side-size': 'ArrowLeft', '--dock-size': 'ArrowDown', '--agent-size': 'ArrowRight' }[property]
      if (event.key !== grows && event.key !== shrinks) return
      event.preventDefault()
      set(current() + (event.key === grows ? step : -step))
    })
    element.addEventListener('dblclick', () => {
      delete sizes[property]
      document.body.style.removeProperty(property)
      localStorage.setItem(key, JSON.stringify(sizes))
    })
    return element
  }
}

function apply(property: string, size: number): void {
  document.body.style.setProperty(property, `${size}px`)
}

function stored(): Record<string, number> {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '{}')
  } catch {
    return {}
  }
}
