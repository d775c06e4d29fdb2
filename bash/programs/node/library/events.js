/** The module `events`, and what browsers call events. */
'use strict'
$polyfs.internal.define('events', ({ builtin, internal }) => {
  function listenersOf(emitter, type) {
    return emitter._events?.[type] || []
  }
  function EventEmitter() {
    if (this._events === undefined || this._events === Object.getPrototypeOf(this)._events) EventEmitter.init.call(this)
  }
  EventEmitter.init = function () {
    hide(this, '_events', Object.create(null))
    hide(this, '_maxListeners', undefined)
  }
  function hide(target, name, value) {
    Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false })
  }
  function add(emitter, type, listener, atStart) {
    if (typeof listener !== 'function') throw internal.wrongType('listener', 'of type function', listener)
    if (!emitter._events || emitter._events === Object.getPrototypeOf(emitter)._events) EventEmitter.init.call(emitter)
    if (emitter._events.newListener !== undefined) emitter.emit('newListener', type, listener.listener || listener)
    const list = listenersOf(emitter, type)
    emitter._events[type] = atStart ? [listener, ...list] : [...list, listener]
    return emitter
  }
  function onceOf(emitter, type, listener) {
    if (typeof listener !== 'function') throw internal.wrongType('listener', 'of type function', listener)
    const wrapped = function (...given) {
      emitter.removeListener(type, wrapped)
      return listener.apply(emitter, given)
    }
    wrapped.listener = listener
    return wrapped
  }
  const methods = {
    on(type, listener) {
      return add(this, type, listener, false)
    },
    addListener(type, listener) {
      return add(this, type, listener, false)
    },
    prependListener(type, listener) {
      return add(this, type, listener, true)
    },
    once(type, listener) {
      return add(this, type, onceOf(this, type, listener), false)
    },
    prependOnceListener(type, listener) {
      return add(this, type, onceOf(this, type, listener), true)
    },
    removeListener(type, listener) {
      const list = listenersOf(this, type)
      const at = list.findLastIndex((each) => each === listener || each.listener === listener)
      if (at === -1) return this
      const rest = list.filter((_, index) => index !== at)
      if (rest.length === 0) delete this._events[type]
      else this._events[type] = rest
      if (this._events.removeListener !== undefined) this.emit('removeListener', type, listener)
      return this
    },
    off(type, listener) {
      return this.removeListener(type, listener)
    },
    removeAllListeners(type) {
      if (type === undefined) EventEmitter.init.call(this)
      else if (this._events) delete this._events[type]
      return this
    },
    emit(type, ...given) {
      const list = listenersOf(this, type)
      if (type === 'error' && list.length === 0) {
        const [error] = given
        if (error instanceof Error) throw error
        const failure = new internal.NodeError(
          'ERR_UNHANDLED_ERROR',
          'Unhandled error. (' + (typeof error === 'string' ? "'" + error + "'" : builtin('util').inspect(error)) + ')',
        )
        failure.context = error
        throw failure
      }
      for (const listener of list) listener.apply(this, given)
      return list.length > 0
    },
    listenerCount(type) {
      return listenersOf(this, type).length
    },
    listeners(type) {
      return listenersOf(this, type).map((listener) => listener.listener || listener)
    },
    rawListeners(type) {
      return [...listenersOf(this, type)]
    },
    eventNames() {
      return this._events ? Reflect.ownKeys(this._events) : []
    },
    setMaxListeners(count) {
      hide(this, '_maxListeners', count)
      return this
    },
    getMaxListeners() {
      return this._maxListeners === undefined ? EventEmitter.defaultMaxListeners : this._maxListeners
    },
  }
  for (const [name, method] of Object.entries(methods)) EventEmitter.prototype[name] = method
  EventEmitter.defaultMaxListeners = 10
  EventEmitter.EventEmitter = EventEmitter
  EventEmitter.once = (emitter, type) =>
    new Promise((resolve, reject) => {
      const failed = (error) => reject(error)
      emitter.once(type, (...given) => {
        emitter.removeListener('error', failed)
        resolve(given)
      })
      if (type !== 'error') emitter.once('error', failed)
    })
  EventEmitter.on = async function* (emitter, type) {
    const queue = []
    let wake
    emitter.on(type, (...given) => {
      queue.push(given)
      if (wake) wake()
    })
    for (;;) {
      while (queue.length > 0) yield queue.shift()
      await new Promise((resolve) => {
        wake = resolve
      })
    }
  }
  EventEmitter.listenerCount = (emitter, type) => emitter.listenerCount(type)

  class Event {
    constructor(type, options = {}) {
      this.type = String(type)
      this.defaultPrevented = false
      this.cancelable = Boolean(options.cancelable)
      this.target = null
    }
    preventDefault() {
      if (this.cancelable) this.defaultPrevented = true
    }
    stopImmediatePropagation() {
      hide(this, '$stopped', true)
    }
    stopPropagation() {}
  }
  const heard = (target) => target.$listeners
  class EventTarget {
    addEventListener(type, listener, options = {}) {
      if (!heard(this)) hide(this, '$listeners', [])
      heard(this).push({ type, listener, once: options.once === true })
    }
    removeEventListener(type, listener) {
      if (heard(this))
        hide(
          this,
          '$listeners',
          heard(this).filter((each) => each.type !== type || each.listener !== listener),
        )
    }
    dispatchEvent(event) {
      event.target = this
      for (const each of [...(heard(this) || [])]) {
        if (each.type !== event.type || event.$stopped) continue
        if (each.once) this.removeEventListener(each.type, each.listener)
        if (typeof each.listener === 'function') each.listener.call(this, event)
        else each.listener.handleEvent(event)
      }
      const own = this['on' + event.type]
      if (typeof own === 'function') own.call(this, event)
      return !event.defaultPrevented
    }
  }
  class AbortSignal extends EventTarget {
    constructor() {
      super()
      this.aborted = false
      this.reason = undefined
    }
    throwIfAborted() {
      if (this.aborted) throw this.reason
    }
    static abort(reason) {
      const controller = new AbortController()
      controller.abort(reason)
      return controller.signal
    }
    static timeout(delay) {
      const controller = new AbortController()
      setTimeout(
        () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
        delay,
      ).unref()
      return controller.signal
    }
  }
  class AbortController {
    constructor() {
      this.signal = new AbortSignal()
    }
    abort(reason = new DOMException('This operation was aborted', 'AbortError')) {
      if (this.signal.aborted) return
      this.signal.aborted = true
      this.signal.reason = reason
      this.signal.dispatchEvent(new Event('abort'))
    }
  }
  internal.events = { Event, EventTarget, AbortSignal, AbortController }
  return EventEmitter
})
