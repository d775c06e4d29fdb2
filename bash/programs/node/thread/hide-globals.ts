/** Takes away from scripts what the browser has and Node has not. What is left are JavaScript's own globals; the library adds those of Node. */

const kept: ReadonlySet<PropertyKey> = new Set(
  (
    'Object Function Error EvalError RangeError ReferenceError SyntaxError TypeError URIError AggregateError Array parseInt parseFloat isNaN isFinite decodeURI ' +
    'decodeURIComponent encodeURI encodeURIComponent escape unescape Infinity NaN undefined eval Number Boolean String Math Reflect Symbol globalThis BigInt Date ' +
    'RegExp JSON Proxy Map Set WeakMap WeakSet ArrayBuffer SharedArrayBuffer Atomics Uint8ClampedArray Int8Array Uint8Array Int16Array Uint16Array Int32Array ' +
    'Uint32Array BigInt64Array BigUint64Array Float32Array Float64Array DataView Promise WeakRef FinalizationRegistry Iterator DOMException btoa atob Intl'
  ).split(' '),
)

/** To be called when the thread has taken what it needs itself. */
export function hideGlobals(): void {
  for (const key of Reflect.ownKeys(globalThis)) if (!kept.has(key)) Reflect.deleteProperty(globalThis, key)
  // The chain itself can't be changed. `constructor` is deleted too: it is the way back to the classes.
  for (
    let at = Reflect.getPrototypeOf(globalThis);
    at !== null && at !== Object.prototype;
    at = Reflect.getPrototypeOf(at)
  ) {
    for (const key of Reflect.ownKeys(at)) Reflect.deleteProperty(at, key)
  }
}
