-- Change the edits of a corpus in one step, if nobody else did meanwhile; returns the new revision.
-- KEYS: revision, hash of edits. ARGV: expected revision, channel, announcement, how many to remove, their ids,
-- then id and JSON of each edit to add.
local revision = redis.call('GET', KEYS[1]) or '0'
if revision ~= ARGV[1] then
  return redis.error_reply('REVISION ' .. revision)
end
local removed = tonumber(ARGV[4])
for i = 5, 4 + removed do redis.call('HDEL', KEYS[2], ARGV[i]) end
for i = 5 + removed, #ARGV, 2 do redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
local new = redis.call('INCR', KEYS[1])
redis.call('PUBLISH', ARGV[2], ARGV[3])
return new
