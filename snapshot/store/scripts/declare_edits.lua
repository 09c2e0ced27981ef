-- Replace what the corpora file says about a corpus, if it says something else now; returns the revision.
-- KEYS: revision, edits of the file. ARGV: edits as JSON, channel, announcement, the revision in place of one that is none.
for i = 1, 2 do
  local kind = redis.call('TYPE', KEYS[i])['ok']
  if kind ~= 'string' and kind ~= 'none' then redis.call('DEL', KEYS[i]) end
end
local revision = redis.call('GET', KEYS[1]) or '0'
local readable = string.match(revision, '^%d+$') and #revision <= 18
if readable and redis.call('GET', KEYS[2]) == ARGV[1] then
  return tonumber(revision)
end
if not readable then redis.call('SET', KEYS[1], ARGV[4]) end
redis.call('SET', KEYS[2], ARGV[1])
local new = redis.call('INCR', KEYS[1])
redis.call('PUBLISH', ARGV[2], ARGV[3])
return new
