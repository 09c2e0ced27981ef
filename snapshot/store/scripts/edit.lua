-- Change the edits of a corpus in one step, if nobody else did meanwhile; returns the new revision.
-- KEYS: revision, hash of edits. ARGV: expected revision, channel, announcement, how many to remove, their ids,
-- then id and JSON of each edit to add.
-- What is damaged is healed: a revision that is no number becomes the expected one, a key of another type goes.
local function heal(key, kind)
  local found = redis.call('TYPE', key)['ok']
  if found ~= kind and found ~= 'none' then redis.call('DEL', key) end
end
heal(KEYS[1], 'string')
heal(KEYS[2], 'hash')
local revision = redis.call('GET', KEYS[1]) or '0'
if not string.match(revision, '^%d+$') or #revision > 18 then
  revision = ARGV[1]
  redis.call('SET', KEYS[1], revision)
end
if revision ~= ARGV[1] then
  return redis.error_reply('REVISION ' .. revision)
end
local removed = tonumber(ARGV[4])
for i = 5, 4 + removed do redis.call('HDEL', KEYS[2], ARGV[i]) end
for i = 5 + removed, #ARGV, 2 do redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
local new = redis.call('INCR', KEYS[1])
redis.call('PUBLISH', ARGV[2], ARGV[3])
return new
