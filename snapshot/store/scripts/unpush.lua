-- Delete pushed documents; returns how many there were. An id that is not there counts as a change too: a version may have it.
-- KEYS: hash of documents, sorted set of changes, state. ARGV: channel, announcement, then the ids.
local documents, changes, state = KEYS[1], KEYS[2], KEYS[3]
local removed = 0
for i = 3, #ARGV do
  removed = removed + redis.call('HDEL', documents, ARGV[i])
  redis.call('ZADD', changes, redis.call('HINCRBY', state, 'revision', 1), ARGV[i])
end
redis.call('PUBLISH', ARGV[1], ARGV[2])
return removed
