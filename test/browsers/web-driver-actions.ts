/** Clicks and keys as the actions of WebDriver, which its older and its newer protocol have in common. */

type Action = Record<string, unknown>

/** The letters for keys that write nothing. */
const namedKeys: Record<string, string> = {
  Backspace: '\ue003',
  Tab: '\ue004',
  Enter: '\ue007',
  Shift: '\ue008',
  Control: '\ue009',
  Alt: '\ue00a',
  Escape: '\ue00c',
  End: '\ue010',
  Home: '\ue011',
  ArrowLeft: '\ue012',
  ArrowUp: '\ue013',
  ArrowRight: '\ue014',
  ArrowDown: '\ue015',
  Delete: '\ue017',
}

export function clickActions(x: number, y: number): Action[] {
  const actions = [
    { type: 'pointerMove', x: Math.round(x), y: Math.round(y), duration: 0 },
    { type: 'pointerDown', button: 0 },
    { type: 'pointerUp', button: 0 },
  ]
  return [{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions }]
}

export function typeActions(text: string): Action[] {
  return keyActions([...text].flatMap((value) => [down(value), up(value)]))
}

export function pressActions(keys: string): Action[] {
  const values = keys.split('+').map((key) => namedKeys[key] ?? key)
  return keyActions([...values.map(down), ...values.map(up).reverse()])
}

function keyActions(actions: Action[]): Action[] {
  return [{ type: 'key', id: 'keyboard', actions }]
}

const down = (value: string): Action => ({ type: 'keyDown', value })
const up = (value: string): Action => ({ type: 'keyUp', value })
