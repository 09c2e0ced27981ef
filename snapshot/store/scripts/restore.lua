-- Make what a restore has written visible, all in one step, or nothing.
-- KEYS: the token of the restore that is at work, the keys that it has written, then those that they become.
-- ARGV: the token of this restore.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return redis.error_reply('REFUSED another restore has begun')
end
local count = (#KEYS - 1) / 2
for i = 2, count + 1 do
  if redis.call('EXISTS', KEYS[i]) == 0 then
    return redis.error_reply('REFUSED what the restore has written is gone')
  end
  if redis.call('EXISTS', KEYS[i + count]) == 1 then
    return redis.error_reply('REFUSED the store has data of Cotag by now (' .. KEYS[i + count] .. ')')
  end
end
for i = 2, count + 1 do
  redis.call('PERSIST', KEYS[i])
  redis.call('RENAME', KEYS[i], KEYS[i + count])
end
redis.call('DEL', KEYS[1])
return count
