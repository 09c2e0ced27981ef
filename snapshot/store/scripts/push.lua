-- Add or replace pushed documents. One that is pushed as it is stored already is no change.
-- KEYS: hash of documents, sorted set of changes, state. ARGV: channel, announcement, then id and JSON of each document.
local documents, changes, state = KEYS[1], KEYS[2], KEYS[3]
local changed = 0
for i = 3, #ARGV, 2 do
  if redis.call('HGET', documents, ARGV[i]) ~= ARGV[i + 1] then
    redis.call('HSET', documents, ARGV[i], ARGV[i + 1])
    redis.call('ZADD', changes, redis.call('HINCRBY', state, 'revision', 1), ARGV[i])
    changed = changed + 1
  end
end
if changed > 0 then redis.call('PUBLISH', ARGV[1], ARGV[2]) end
return changed
