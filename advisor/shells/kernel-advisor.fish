# Completion of kernel-advisor for fish. The command itself knows what can stand next.

function __kernel_advisor_complete
    set -l words (commandline -opc)
    set -l answer ($words[1] completion fish --line (commandline -cp | string collect) 2>/dev/null)
    set -l head (string split -m 1 \t -- $answer[1])
    switch "$head[1]"
        case words
            string join \n -- $answer[2..-1]
        case files folders
            set -l known (string length -- "$head[2]")
            set -l rest (string sub -s (math $known + 1) -- (commandline -ct))
            set -l paths
            if test "$head[1]" = files
                set paths (__fish_complete_path "$rest")
            else
                set paths (__fish_complete_directories "$rest")
            end
            for path in $paths
                echo -- "$head[2]$path"
            end
    end
end

complete -c kernel-advisor -f -a '(__kernel_advisor_complete)'
