-- Delete all pushed documents; returns how many there were. Every version of before has no document left.
-- KEYS: hash of documents, sorted set of changes, state. ARGV: channel, announcement.
local documents, changes, state = KEYS[1], KEYS[2], KEYS[3]
local removed = redis.call('HLEN', documents)
redis.call('DEL', documents, changes)
redis.call('HSET', state, 'cleared', redis.call('HINCRBY', state, 'revision', 1))
redis.call('PUBLISH', ARGV[1], ARGV[2])
return removed
