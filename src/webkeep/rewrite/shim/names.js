// The names that wrapped scripts use; see webkeep.rewrite.wrapping.
function patchLocation(scope, addresses) {
  const prototype = (scope.Location || scope.WorkerLocation).prototype;
  const location = archivedLocation(scope.location, addresses, prototype);
  const accessor = {get: () => location, set: (value) => { location.href = value; }};
  define(scope, 'webkeep_location$', accessor);
  if (scope.Document) define(scope.Document.prototype, 'webkeep_location$', accessor);
  define(scope, 'webkeep_frame$', {value: (thing) => isWindow(thing) ? new Frame(thing, addresses, prototype) : thing});
  define(scope, 'webkeep_module$', {value: (specifier) => addresses.replayed(specifier)});
  define(scope, 'webkeep_message$', {value: (...args) => withReplayedTarget(args, addresses)});
  define(scope, 'origin', {get: () => addresses.home, set: undefined, enumerable: true});
}

function isWindow(thing) {
  // Even those of other origins let themselves be asked for this.
  try {
    return thing !== null && typeof thing === 'object' && thing.window === thing;
  } catch {
    return false;
  }
}

// What stands in for a window whose location is read or set.
class Frame {
  constructor(target, addresses, prototype) {
    this.target = target;
    this.addresses = addresses;
    this.prototype = prototype;
  }
  get location() {
    try {
      const location = this.target.webkeep_location$;
      if (location) return location;
    } catch {
      // Of another origin: it can be sent elsewhere, but not asked where it is.
    }
    return archivedLocation(this.target.location, this.addresses, this.prototype);
  }
  set location(value) { this.target.location = this.addresses.replayed(value); }
}

// The arguments of a message with the origin it is meant for as the replayed one.
function withReplayedTarget(args, addresses) {
  const target = args[1];
  if (typeof target === 'string' && target !== '*' && target !== '/') {
    args[1] = addresses.replayedOrigin(target);
  } else if (target && typeof target === 'object' && typeof target.targetOrigin === 'string') {
    args[1] = {...target, targetOrigin: target.targetOrigin.length > 1 ?
      addresses.replayedOrigin(target.targetOrigin) : target.targetOrigin};
  }
  return args;
}
