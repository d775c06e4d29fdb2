/** Modules about threads and what follows a call, as far as one thread has them. */
'use strict'
;(() => {
  const { internal } = $polyfs
  internal.define('worker_threads', ({ exported }) => {
    const missing = (name) =>
      ({
        [name]: class {
          constructor() {
            throw new Error('worker_threads.' + name + ' is not supported by this shell')
          }
        },
      })[name]
    Object.assign(exported, {
      isMainThread: true,
      parentPort: null,
      resourceLimits: {},
      SHARE_ENV: Symbol.for('nodejs.worker_threads.SHARE_ENV'),
      threadId: 0,
      workerData: null,
      Worker: missing('Worker'),
      MessageChannel: missing('MessageChannel'),
      MessagePort: missing('MessagePort'),
      BroadcastChannel: missing('BroadcastChannel'),
      getEnvironmentData: (key) => environment.get(key),
      setEnvironmentData(key, value) {
        if (value === undefined) environment.delete(key)
        else environment.set(key, value)
      },
    })
    const environment = new Map()
  })

  internal.define('diagnostics_channel', ({ exported }) => {
    const channels = new Map()
    class Channel {
      constructor(name) {
        this.name = name
        Object.defineProperty(this, '$subscribers', { value: [], writable: true, enumerable: false })
      }
      get hasSubscribers() {
        return this.$subscribers.length > 0
      }
      subscribe(listener) {
        if (typeof listener !== 'function') throw internal.wrongType('subscription', 'of type function', listener)
        this.$subscribers = [...this.$subscribers, listener]
      }
      unsubscribe(listener) {
        const at = this.$subscribers.indexOf(listener)
        if (at === -1) return false
        this.$subscribers = this.$subscribers.filter((_, index) => index !== at)
        return true
      }
      publish(message) {
        for (const listener of this.$subscribers) {
          try {
            listener(message, this.name)
          } catch (error) {
            internal.nextTick(() => {
              throw error
            })
          }
        }
      }
      bindStore() {
        throw new Error('bindStore of a channel is not supported by this shell')
      }
    }
    const channel = (name) => {
      if (typeof name !== 'string' && typeof name !== 'symbol')
        throw internal.wrongType('channel', 'one of type string or symbol', name)
      if (!channels.has(name)) channels.set(name, new Channel(name))
      return channels.get(name)
    }
    Object.assign(exported, {
      channel,
      hasSubscribers: (name) => channels.get(name)?.hasSubscribers || false,
      subscribe: (name, listener) => channel(name).subscribe(listener),
      unsubscribe: (name, listener) => channel(name).unsubscribe(listener),
      tracingChannel() {
        throw new Error('diagnostics_channel.tracingChannel is not supported by this shell')
      },
      Channel,
    })
  })
})()
